// one work-item for each element of C
__kernel void mmElement(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const size_t col = get_global_id(0);
    const size_t row = get_global_id(1);
    real sum = 0;

    for (uint32_t k = 0; k < n; k++)
        sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}
