// No zeros needed: a product is made only if both of its factors exist.
__kernel void rectMMM(__global const real *A, __global const real *B, __global real *C,
                      uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real a[TILE][TILE], b[TILE][TILE];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t i = get_global_id(1), j = get_global_id(0);
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        if (i < heightA && k0 + x < widthA)
            a[y][x] = A[i * widthA + k0 + x];
        if (k0 + y < widthA && j < widthB)
            b[y][x] = B[(k0 + y) * widthB + j];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < TILE; k++)
            if (i < heightA && j < widthB && k0 + k < widthA)
                sum += a[y][k] * b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (i < heightA && j < widthB)
        C[i * widthB + j] = sum;
}
