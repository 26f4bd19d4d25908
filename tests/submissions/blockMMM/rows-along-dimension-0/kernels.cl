// i is the row and comes first, j is the column and comes second
__kernel void blockMMM(__global real *A, __global real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ai[TILE][TILE + 1];
    __local real Bj[TILE][TILE + 1];
    uint32_t li = get_local_id(0);
    uint32_t lj = get_local_id(1);
    uint32_t i = get_group_id(1) * TILE + li;
    uint32_t j = get_group_id(0) * TILE + lj;

    real res = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        Ai[li][lj] = 0;
        Bj[li][lj] = 0;
        if (i < heightA && k0 + lj < widthA)
            Ai[li][lj] = A[i * widthA + k0 + lj];
        if (k0 + li < widthA && j < widthB)
            Bj[li][lj] = B[(k0 + li) * widthB + j];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < TILE; k++)
            res += Ai[li][k] * Bj[k][lj];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (i < heightA && j < widthB)
        C[i * widthB + j] = res;
}
