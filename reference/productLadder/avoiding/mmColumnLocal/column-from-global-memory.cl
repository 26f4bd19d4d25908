// The kernel of the exercise before: each work-item reads the columns of B itself.
__kernel void mmColumnLocal(__global const real *A, __global const real *B, __global real *C, uint32_t n,
                            __local real *Bcol)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    real rowOfA[MAX_N];
    for (uint32_t k = 0; k < n; k++)
        rowOfA[k] = A[i * n + k];

    for (uint32_t j = 0; j < n; j++) {
        real sum = 0;
        for (uint32_t k = 0; k < n; k++)
            sum += rowOfA[k] * B[k * n + j];
        C[i * n + j] = sum;
    }
}
