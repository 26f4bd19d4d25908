// grader: TILE = 16
__kernel void rectMMM(__global const real *A, __global const real *B, __global real *C,
                      uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real tileA[TILE][TILE], tileB[TILE][TILE];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t row = get_global_id(1), col = get_global_id(0);
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        tileA[y][x] = row < heightA && k0 + x < widthA ? A[row * widthA + k0 + x] : 0;
        tileB[y][x] = k0 + y < widthA && col < widthB ? B[(k0 + y) * widthB + col] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            sum = tileA[y][k] * tileB[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
