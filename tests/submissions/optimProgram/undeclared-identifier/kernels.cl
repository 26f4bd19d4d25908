__kernel void optimProgram(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    __local real blk[PRG_WGSIZE][CHUNK + 1];
    uint32_t lid = get_local_id(0), x = lid % CHUNK;
    uint32_t top = get_group_id(0) * PRG_WGSIZE;
    real accum = 0;
    for (uint32_t c = 0; c < width; c += CHUNK) {
        for (uint32_t i = lid / CHUNK; i < WGSIZE; i += PRG_WGSIZE / CHUNK)
            if (top + i < height && c + x < width) blk[i][x] = A[(top + i) * width + c + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < CHUNK; k++)
            blk[lid][k] = accum = blk[lid][k] * blk[lid][k] - accum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t i = lid / CHUNK; i < PRG_WGSIZE; i += PRG_WGSIZE / CHUNK)
            if (top + i < height && c + x < width) B[(top + i) * width + c + x] = blk[i][x];
    }
}
