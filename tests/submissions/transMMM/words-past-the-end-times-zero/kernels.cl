// No branches: a word past the edge counts 0 times.
__kernel void transMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t heightB, uint32_t widthA)
{
    __local real Ash[TILE][TILE], Bsh[TILE][TILE + 1];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t row = get_global_id(1), col = get_global_id(0), other = get_group_id(0) * TILE + y;
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        Ash[y][x] = A[row * widthA + k0 + x] * (row < heightA && k0 + x < widthA);
        Bsh[y][x] = B[other * widthA + k0 + x] * (other < heightB && k0 + x < widthA);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            sum += Ash[y][k] * Bsh[x][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < heightA && col < heightB)
        C[row * heightB + col] = sum;
}
