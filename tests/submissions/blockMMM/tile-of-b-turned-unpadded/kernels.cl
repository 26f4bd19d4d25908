// The inner loop reads both tiles along their rows, which is good for the cache.
__kernel void blockMMM(__global const real *restrict A, __global const real *restrict B, __global real *restrict C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real a[TILE][TILE];
    __local real bT[TILE][TILE];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t col = get_global_id(0), row = get_global_id(1);
    real acc = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        a[y][x]  = row < heightA && k0 + x < widthA ? A[row * widthA + k0 + x] : (real)0;
        bT[x][y] = col < widthB && k0 + y < widthA ? B[(k0 + y) * widthB + col] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            acc = a[y][k] * bT[x][k] + acc;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = acc;
}
