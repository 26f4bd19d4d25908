__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real tileA[TILE][TILE], tileB[TILE][TILE];
    const uint32_t x = get_local_id(1), y = get_local_id(0);
    const uint32_t i = get_global_id(1), j = get_global_id(0);
    real total = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        if (i < heightA)
            tileA[y][x] = k0 + x < widthA ? A[i * widthA + k0 + x] : (real)0;
        if (j < widthB)
            tileB[y][x] = k0 + y < widthA ? B[(k0 + y) * widthB + j] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            total += tileA[y][k] * tileB[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < heightA && j < widthB)
        C[i * widthB + j] = total;
}
