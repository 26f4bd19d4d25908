__attribute__((nodebug)) __kernel void optimProgram(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    __local real blk[PRG_WGSIZE][CHUNK + 1];
    uint32_t lid = get_local_id(0), x = lid % CHUNK;
    uint32_t top = get_group_id(0) * PRG_WGSIZE;
    uint32_t c = 0;
    real accum = 0;

    while (c < width) {
        for (uint32_t i = lid / CHUNK; i < PRG_WGSIZE; i += PRG_WGSIZE / CHUNK)
            if (top + i < height && c + x < width) blk[i][x] = A[(top + i) * width + c + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < CHUNK; k++) {
            real a = blk[lid][k];
            accum = a * a - accum;
            blk[lid][k] = accum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t i = lid / CHUNK; i < PRG_WGSIZE; i += PRG_WGSIZE / CHUNK)
            if (top + i < height && c + x < width) B[(top + i) * width + c + x] = blk[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
