__kernel void optimProgram(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    __local real blk[PRG_WGSIZE][CHUNK + 1];
    uint32_t t = get_local_id(0), top = get_group_id(0) * PRG_WGSIZE;
    uint32_t x = t % CHUNK;
    real accum = 0;

    for (uint32_t c0 = 0; c0 < width; c0 += CHUNK) {
        for (uint32_t i = t / CHUNK; i < PRG_WGSIZE; i += PRG_WGSIZE / CHUNK)
            if (top + i < height)
                blk[i][x] = A[(top + i) * width + c0 + x];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < CHUNK; k++) {
            accum = blk[t][k] * blk[t][k] - accum;
            blk[t][k] = accum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t i = t / CHUNK; i < PRG_WGSIZE; i += PRG_WGSIZE / CHUNK)
            if (top + i < height && c0 + x < width)
                B[(top + i) * width + c0 + x] = blk[i][x];
    }
}
