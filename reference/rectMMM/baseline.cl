// Baseline: one result per work-item, every operand read from global memory.
__kernel void naiveMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    const uint32_t col = get_global_id(0);
    const uint32_t row = get_global_id(1);
    if (col >= widthB || row >= heightA)
        return;

    real sum = 0;
    for (uint32_t k = 0; k < widthA; k++)
        sum += A[row * widthA + k] * B[k * widthB + col];
    C[row * widthB + col] = sum;
}
