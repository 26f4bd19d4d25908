__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real a[TILE][TILE], b[TILE][TILE];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t row = get_global_id(1), col = get_global_id(0);
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        a[y][x] = row < heightA && k0 + x < widthA ? A[row * widthA + k0 + x] : 0;
        b[y][x] = k0 + y < widthA && col < widthB ? B[(k0 + y) * widthB + col] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            sum += a[y][k] * b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < heightA && col < widthB)
        C[row * 512 + col] = sum;
}
