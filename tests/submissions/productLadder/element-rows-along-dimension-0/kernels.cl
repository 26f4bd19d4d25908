// i is the row and comes first, j is the column and comes second
__kernel void mmElement(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    uint32_t i = get_global_id(0);
    uint32_t j = get_global_id(1);

    if (i < n && j < n) {
        real sum = 0;
        for (uint32_t k = 0; k < n; k++)
            sum += A[i*n + k] * B[k*n + j];
        C[i*n + j] = sum;
    }
}
