__kernel void transMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t heightB, uint32_t widthA)
{
    __local real Ash[TILE][TILE];
    __local real Bsh[TILE][TILE + 1];

    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t row = get_global_id(1);
    const uint32_t col = get_global_id(0);
    const uint32_t first = get_group_id(0) * TILE;

    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        Ash[ly][lx] = 0;
        Bsh[ly][lx] = 0;
        if (row < heightA && k0 + lx < widthA)
            Ash[ly][lx] = A[row * widthA + k0 + lx];
        if (col < heightB && k0 + lx < widthA)
            Bsh[ly][lx] = B[(first + ly) * widthA + k0 + lx];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < TILE; k++)
            sum += Ash[ly][k] * Bsh[lx][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < heightA && col < heightB)
        C[row * heightB + col] = sum;
}
