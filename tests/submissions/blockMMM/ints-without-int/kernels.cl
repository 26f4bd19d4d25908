__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[TILE][TILE];
    __local real Bsh[TILE][TILE];

    const lx = get_local_id(0);
    const ly = get_local_id(1);
    const one = 1;
    const uint32_t col = get_global_id(0);
    const uint32_t row = get_global_id(1);

    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        Ash[ly][lx] = (row < heightA && k0 + lx < widthA) ? A[row * widthA + (k0 + lx)] : (real)0;
        Bsh[ly][lx] = (k0 + ly < widthA && col < widthB) ? B[(k0 + ly) * widthB + col] : (real)0;

        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < TILE; k += one)
            sum += Ash[ly][k] * Bsh[k][ly];

        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
