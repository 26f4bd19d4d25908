__kernel void optimProgram(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    __local real s[PRG_WGSIZE * (CHUNK + 1)];
    const uint32_t lid = get_local_id(0);
    const uint32_t base = get_group_id(0) * PRG_WGSIZE;
    const uint32_t chunks = width / CHUNK;
    real accum = 0;

    for (uint32_t n = 0; n < chunks; n++) {
        for (uint32_t w = lid; w < PRG_WGSIZE * CHUNK; w += PRG_WGSIZE) {
            uint32_t i = w / CHUNK, j = w % CHUNK;
            if (base + i < height)
                s[i * (CHUNK + 1) + j] = A[(base + i) * width + n * CHUNK + j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t j = 0; j < CHUNK; j++) {
            real a = s[lid * (CHUNK + 1) + j];
            accum = a * a - accum;
            s[lid * (CHUNK + 1) + j] = accum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t w = lid; w < PRG_WGSIZE * CHUNK; w += PRG_WGSIZE) {
            uint32_t i = w / CHUNK, j = w % CHUNK;
            if (base + i < height)
                B[(base + i) * width + n * CHUNK + j] = s[i * (CHUNK + 1) + j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
