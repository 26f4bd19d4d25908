__kernel void optimProgram(__global const real *restrict A, __global real *restrict B,
                           uint32_t height, uint32_t width)
{
    __local real block[PRG_WGSIZE * CHUNK];     // exactly what is needed
    const uint32_t lid = get_local_id(0);
    const uint32_t row0 = get_group_id(0) * PRG_WGSIZE;
    real accum = 0;

    for (uint32_t col0 = 0; col0 < width; col0 += CHUNK) {
        for (uint32_t w = lid; w < PRG_WGSIZE * CHUNK; w += PRG_WGSIZE) {
            const uint32_t r = row0 + w / CHUNK, c = col0 + w % CHUNK;
            block[w] = (r < height && c < width) ? A[r * width + c] : (real)0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < CHUNK; k++) {
            const real a = block[lid * CHUNK + k];
            accum = a * a - accum;
            block[lid * CHUNK + k] = accum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t w = lid; w < PRG_WGSIZE * CHUNK; w += PRG_WGSIZE) {
            const uint32_t r = row0 + w / CHUNK, c = col0 + w % CHUNK;
            if (r < height && c < width)
                B[r * width + c] = block[w];
        }
    }
}
