#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[TILE][TILE];
    __local real Bsh[TILE][TILE];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t col = get_global_id(0), row = get_global_id(1);
    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        Ash[y][x] = row < heightA && k0 + x < widthA ? A[row * widthA + k0 + x] : 0;
        Bsh[y][x] = col < widthB && k0 + y < widthA ? B[(k0 + y) * widthB + col] : 0;
        SYNC;
        for (uint32_t k = 0; k < TILE; k++)
            sum += Ash[y][k] * Bsh[k][x];
    }
    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
