__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real tile[RT][RT + 1];
    const uint32_t lid = get_local_id(0);
    const uint32_t row0 = get_group_id(1) * RT, col = get_global_id(0);
    const uint32_t r = lid / RT, c = lid % RT;

    real cs[RT];                       // cs[0] ... cs[RT]
    for (uint32_t i = 0; i <= RT; i++)
        cs[i] = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        tile[r][c] = row0 + r < heightA && k0 + c < widthA ? A[(row0 + r) * widthA + k0 + c] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < RT; k++) {
            real b = k0 + k < widthA && col < widthB ? B[(k0 + k) * widthB + col] : (real)0;
            for (uint32_t i = 0; i < RT; i++)
                cs[i] += tile[i][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (col < widthB)
        for (uint32_t i = 0; i < RT; i++)
            if (row0 + i < heightA)
                C[(row0 + i) * widthB + col] = cs[i];
}
