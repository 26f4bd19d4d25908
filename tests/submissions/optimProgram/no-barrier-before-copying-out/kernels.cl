__kernel void optimProgram(__global const real *A, __global real *B,
                           uint32_t height, uint32_t width)
{
    __local real s[PRG_WGSIZE * (CHUNK + 1)];
    const uint32_t me = get_local_id(0);
    const uint32_t base = get_group_id(0) * PRG_WGSIZE;
    __local real *row = &s[me * (CHUNK + 1)];
    real acc = 0;

    for (uint32_t c = 0; c < width; c += CHUNK) {
        for (uint32_t w = me; w < PRG_WGSIZE * CHUNK; w += PRG_WGSIZE) {
            uint32_t i = w / CHUNK, j = w % CHUNK;
            s[i * (CHUNK + 1) + j] = base + i < height && c + j < width ? A[(base + i) * width + c + j] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);    // the block is complete

        for (uint32_t j = 0; j < CHUNK; j++) {
            acc = row[j] * row[j] - acc;
            row[j] = acc;
        }

        for (uint32_t w = me; w < PRG_WGSIZE * CHUNK; w += PRG_WGSIZE) {
            uint32_t i = w / CHUNK, j = w % CHUNK;
            if (base + i < height && c + j < width)
                B[(base + i) * width + c + j] = s[i * (CHUNK + 1) + j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);    // before the next round overwrites it
    }
}
