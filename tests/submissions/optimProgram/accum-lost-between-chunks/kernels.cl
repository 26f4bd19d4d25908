__kernel void optimProgram(__global real* A, __global real* B, uint32_t height, uint32_t width) {
    __local real blk[PRG_WGSIZE][CHUNK + 1];
    uint32_t lid = get_local_id(0);
    uint32_t r0  = get_group_id(0) * PRG_WGSIZE;
    uint32_t x   = lid % CHUNK, y = lid / CHUNK;

    for (uint32_t c0 = 0; c0 < width; c0 += CHUNK) {
        for (uint32_t r = y; r < PRG_WGSIZE; r += PRG_WGSIZE / CHUNK)
            if (r0 + r < height && c0 + x < width)
                blk[r][x] = A[(r0 + r) * width + c0 + x];
        barrier(CLK_LOCAL_MEM_FENCE);

        real accum = 0;
        for (uint32_t k = 0; k < CHUNK && c0 + k < width; k++) {
            real a = blk[lid][k];
            accum = a * a - accum;
            blk[lid][k] = accum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t r = y; r < PRG_WGSIZE; r += PRG_WGSIZE / CHUNK)
            if (r0 + r < height && c0 + x < width)
                B[(r0 + r) * width + c0 + x] = blk[r][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
