// copy in a few rows at a time, wait for them, copy the next few
__kernel void optimProgram(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    __local real blk[PRG_WGSIZE][CHUNK + 1];
    uint32_t t = get_local_id(0);
    uint32_t x = t % CHUNK, y = t / CHUNK, top = get_group_id(0) * PRG_WGSIZE;
    uint32_t rows = min((uint32_t)PRG_WGSIZE, height - top);
    real acc = 0;

    for (uint32_t c = 0; c < width; c += CHUNK) {
        for (uint32_t i = y; i < rows; i += PRG_WGSIZE / CHUNK) {
            if (c + x < width)
                blk[i][x] = A[(top + i) * width + c + x];
            barrier(CLK_LOCAL_MEM_FENCE);
        }

        if (t < rows)
            for (uint32_t k = 0; k < CHUNK && c + k < width; k++) {
                acc = blk[t][k] * blk[t][k] - acc;
                blk[t][k] = acc;
            }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t i = y; i < rows; i += PRG_WGSIZE / CHUNK)
            if (c + x < width)
                B[(top + i) * width + c + x] = blk[i][x];
    }
}
