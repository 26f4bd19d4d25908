__kernel void optimProgram(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real blk[PRG_WGSIZE][CHUNK + 1];
    const uint32_t lid = get_local_id(0);
    const uint32_t y = lid / CHUNK;
    const uint32_t x = lid % CHUNK;
    const uint32_t base = get_group_id(0) * PRG_WGSIZE;

    real state = 0;
    for (uint32_t k0 = 0; k0 < width; k0 += CHUNK) {
        for (uint32_t i = y; i < PRG_WGSIZE; i += PRG_WGSIZE / CHUNK) {
            blk[i][x] = 0;
            if (base + i < height && k0 + x < width)
                blk[i][x] = A[(base + i) * width + k0 + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < CHUNK; k++) {
            const real a = blk[lid][k];
            state = a * a - state;
            blk[lid][k] = state;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // the last chunk is filled up with zeros, so storing all of it does no harm
        for (uint32_t i = y; i < PRG_WGSIZE; i += PRG_WGSIZE / CHUNK)
            if (base + i < height)
                B[(base + i) * width + k0 + x] = blk[i][x];
    }
}
