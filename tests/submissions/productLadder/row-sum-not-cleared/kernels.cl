__kernel void mmRow(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t row = get_global_id(0);
    real sum = 0;                               // in a register, much faster than C

    if (row < n) {
        for (uint32_t col = 0; col < n; col++) {
            for (uint32_t k = 0; k < n; k++)
                sum += A[row * n + k] * B[k * n + col];
            C[row * n + col] = sum;
        }
    }
}
