// dimension 0 = rows, dimension 1 = columns, as in C[row][col]
__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[RT][RT + 1];
    const uint32_t lid = get_local_id(0);
    const uint32_t y = lid / RT, x = lid % RT;
    const uint32_t row = get_group_id(0) * RT;
    const uint32_t col = get_group_id(1) * RT * RT + lid;
    real cs[RT];
    for (uint32_t r = 0; r < RT; r++) cs[r] = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        const bool in = row + y < heightA && k0 + x < widthA;
        Ash[y][x] = in ? A[(row + y) * widthA + k0 + x] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < RT; k++) {
            const real b = (k0 + k < widthA && col < widthB) ? B[(k0 + k) * widthB + col] : (real)0;
            for (uint32_t r = 0; r < RT; r++) cs[r] += Ash[r][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint32_t r = 0; r < RT; r++)
        if (row + r < heightA && col < widthB)
            C[(row + r) * widthB + col] = cs[r];
}
