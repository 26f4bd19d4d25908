__kernel void mmColumnLocal(__global const real *A, __global const real *B, __global real *C, uint32_t n,
                            __local real *Bcol)
{
    const uint32_t i = get_global_id(0);
    const uint32_t lid = get_local_id(0);
    real Arow[MAX_N];

    for (uint32_t k = 0; k < n && i < n; k++)
        Arow[k] = A[i * n + k];

    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t k = lid; k < n; k += WG)
            Bcol[k] = B[k * n + j];
        barrier(CLK_LOCAL_MEM_FENCE);    // the column is there

        real sum = 0;
        if (i < n) {
            for (uint32_t k = 0; k < n; k++)
                sum += Arow[k] * Bcol[k];
            C[i * n + j] = sum;
        }
    }
}
