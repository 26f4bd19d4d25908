typedef float4 real4;
// Odd and even work-items wait at different barriers, in a function without debug locations.
__attribute__((nodebug)) __kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real4 Ash[TILE][TILE / 4];
    __local real Bsh[TILE][TILE];

    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t col = get_global_id(0);
    const uint32_t row = get_global_id(1);
    __local real *const rowOfA = (__local real *)Ash[ly];

    real nextA = (row < heightA && lx < widthA) ? A[row * widthA + lx] : (real)0;
    real nextB = (ly < widthA && col < widthB) ? B[ly * widthB + col] : (real)0;

    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        rowOfA[lx] = nextA;
        Bsh[ly][lx] = nextB;

        if (lx & 1) barrier(CLK_LOCAL_MEM_FENCE); else barrier(CLK_LOCAL_MEM_FENCE);

        const uint32_t kA = k0 + TILE + lx;
        const uint32_t kB = k0 + TILE + ly;
        nextA = (row < heightA && kA < widthA) ? A[row * widthA + kA] : (real)0;
        nextB = (kB < widthA && col < widthB) ? B[kB * widthB + col] : (real)0;

        #pragma unroll
        for (uint32_t k = 0; k < TILE / 4; k++) {
            const real4 a = Ash[ly][k];
            sum += a.x * Bsh[4 * k][lx];
            sum += a.y * Bsh[4 * k + 1][lx];
            sum += a.z * Bsh[4 * k + 2][lx];
            sum += a.w * Bsh[4 * k + 3][lx];
        }

        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
