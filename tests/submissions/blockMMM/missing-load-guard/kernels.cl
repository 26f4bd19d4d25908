// tiles of A and B; the words past the right edge of A do not matter because
// the tile of B has zeros there
__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real tA[TILE][TILE];
    __local real tB[TILE][TILE];

    uint32_t tx = get_local_id(0);
    uint32_t ty = get_local_id(1);
    uint32_t i = get_global_id(1);
    uint32_t j = get_global_id(0);
    bool rowIn = i < heightA;
    bool colIn = j < widthB;
    real c = 0;

    for (uint32_t kk = 0; kk < widthA; kk += TILE) {
        tA[ty][tx] = 0;
        tB[ty][tx] = 0;
        if (rowIn)
            tA[ty][tx] = A[i * widthA + kk + tx];
        if (colIn && kk + ty < widthA)
            tB[ty][tx] = B[(kk + ty) * widthB + j];

        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            c += tA[ty][k] * tB[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (rowIn && colIn)
        C[i * widthB + j] = c;
}
