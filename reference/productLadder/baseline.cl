// Baseline: one element of C per work-item, every operand read from global memory.
__kernel void naiveMM(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t j = get_global_id(0);
    const uint32_t i = get_global_id(1);
    if (i >= n || j >= n)
        return;

    real sum = 0;
    for (uint32_t k = 0; k < n; k++)
        sum += A[i * n + k] * B[k * n + j];
    C[i * n + j] = sum;
}
