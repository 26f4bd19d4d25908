__kernel void mmColumnLocal(__global const real *A, __global const real *B, __global real *C, uint32_t n,
                            __local real *Bcol)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    real Arow[MAX_N];
    for (uint32_t k = 0; k < n; k++)
        Arow[k] = A[i * n + k];

    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t k = get_local_id(0); k < n; k += get_local_size(0))
            Bcol[k] = B[k * n + j];
        barrier(CLK_LOCAL_MEM_FENCE);

        real sum = 0;
        for (uint32_t k = 0; k < n; k++)
            sum += Arow[k] * Bcol[k];
        C[i * n + j] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
