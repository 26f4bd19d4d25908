// Loads are guarded, so no word outside of A and B is ever touched.
__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Asub[TILE][TILE], Bsub[TILE][TILE];
    uint32_t j = get_local_id(0), i = get_local_id(1);
    uint32_t col = get_group_id(0) * TILE + j;
    uint32_t row = get_group_id(1) * TILE + i;
    real dot = 0;

    for (uint32_t base = 0; base < widthA; base += TILE) {
        if (row < heightA && base + j < widthA)
            Asub[i][j] = A[row * widthA + base + j];
        if (base + i < widthA && col < widthB)
            Bsub[i][j] = B[(base + i) * widthB + col];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < TILE; k++)
            dot += Asub[i][k] * Bsub[k][j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = dot;
}
