// The kernel of the exercise before: each word of A is read n times.
__kernel void mmRowPrivate(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    for (uint32_t j = 0; j < n; j++) {
        real sum = 0;
        for (uint32_t k = 0; k < n; k++)
            sum += A[i * n + k] * B[k * n + j];
        C[i * n + j] = sum;
    }
}
