__kernel void rectMMM(__global const real *A, __global const real *B, __global real *C,
                      uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real a[TILE][TILE], b[TILE][TILE];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t i = get_global_id(1), j = get_global_id(0);
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        for (uint32_t k = y; k < TILE; k += TILE)
            if (i < heightA)
                if (k0 + x < widthA)
                    a[k][x] = A[i * widthA + k0 + x];
        for (uint32_t k = y; k < TILE; k += TILE)
            if (k0 + k < widthA)
                if (j < widthB)
                    b[k][x] = B[(k0 + k) * widthB + j];
        barrier(CLK_LOCAL_MEM_FENCE);

        // in one line, so that it is one place at which a warp can diverge
        if (k0 < widthA) for (uint32_t k = 0; k < TILE; k++) if (i < heightA && j < widthB && k0 + k < widthA) sum += a[y][k] * b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (i < heightA && j < widthB)
        C[i * widthB + j] = sum;
}
