__kernel void rectMMM(__global const real *A, __global const real *B, __global real *C,
                      uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real tA[TILE][TILE];
    __local real tB[TILE][TILE];

    const uint32_t tx = get_local_id(0), ty = get_local_id(1);
    const uint32_t i = get_global_id(1), j = get_global_id(0);
    const bool inside = i < heightA && j < widthB;
    real c = 0;

    for (uint32_t kk = 0; kk < widthA; kk += TILE) {
        tA[ty][tx] = inside && kk + tx < widthA ? A[i * widthA + kk + tx] : (real)0;
        tB[ty][tx] = inside && kk + ty < widthA ? B[(kk + ty) * widthB + j] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < TILE; k++)
            c += tA[ty][k] * tB[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (inside)
        C[i * widthB + j] = c;
}
