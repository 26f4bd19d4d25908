// Baseline: one result per work-item, every operand read from global memory; neighbours read down a column of B.
__kernel void naiveTransMMM(__global const real *A, __global const real *B, __global real *C,
                            uint32_t heightA, uint32_t heightB, uint32_t widthA)
{
    const uint32_t col = get_global_id(0);
    const uint32_t row = get_global_id(1);
    if (col >= heightB || row >= heightA)
        return;

    real sum = 0;
    for (uint32_t k = 0; k < widthA; k++)
        sum += A[row * widthA + k] * B[col * widthA + k];
    C[row * heightB + col] = sum;
}
