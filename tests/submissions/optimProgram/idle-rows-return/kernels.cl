__kernel void optimProgram(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real block[PRG_WGSIZE][CHUNK + 1];
    const uint32_t lid = get_local_id(0);
    const uint32_t first = get_group_id(0) * PRG_WGSIZE;
    const uint32_t cc = lid % CHUNK;

    if (get_global_id(0) >= height) return;    // no row, no work

    real accum = 0;
    for (uint32_t c0 = 0; c0 < width; c0 += CHUNK) {
        for (uint32_t r = lid / CHUNK; r < PRG_WGSIZE; r += PRG_WGSIZE / CHUNK)
            if (first + r < height && c0 + cc < width)
                block[r][cc] = A[(first + r) * width + c0 + cc];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t c = 0; c < CHUNK && c0 + c < width; c++) {
            accum = block[lid][c] * block[lid][c] - accum;
            block[lid][c] = accum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t r = lid / CHUNK; r < PRG_WGSIZE; r += PRG_WGSIZE / CHUNK)
            if (first + r < height && c0 + cc < width)
                B[(first + r) * width + c0 + cc] = block[r][cc];
    }
}
