__kernel void mmRowPrivate(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    uint32_t i = get_global_id(0);
    real Awrk[MAX_N];

    if (i < n) {
        // the row of A, kept close to the work-item
        for (uint32_t k = 0; k < n; k++)
            Awrk[k] = A[i*n + k];

        for (uint32_t j = 0; j < n; j++) {
            real tmp = 0;
            for (uint32_t k = 0; k < n; k++)
                tmp += A[i*n + k] * B[k*n + j];
            C[i*n + j] = tmp;
        }
    }
}
