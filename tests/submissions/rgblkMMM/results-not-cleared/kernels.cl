__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[RT][RT + 1];
    real acc[RT];
    const uint32_t lid = get_local_id(0);
    const uint32_t x = lid & (RT - 1), y = lid / RT;
    const uint32_t top = get_group_id(1) * RT;
    const uint32_t col = get_global_id(0);

    for (uint32_t base = 0; base < widthA; base += RT) {
        Ash[y][x] = 0;
        if (top + y < heightA && base + x < widthA)
            Ash[y][x] = A[(top + y) * widthA + base + x];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < RT; ++k) {
            const real b = base + k < widthA && col < widthB ? B[(base + k) * widthB + col] : (real)0;
            for (uint32_t i = 0; i < RT; ++i)
                acc[i] += Ash[i][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint32_t i = 0; i < RT; ++i)
        if (top + i < heightA && col < widthB)
            C[(top + i) * widthB + col] = acc[i];
}
