__kernel void transMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t heightB, uint32_t widthA)
{
    uint32_t j = get_global_id(0), i = get_global_id(1);
    if (i >= heightA || j >= heightB)
        return;
    real sum = 0;
    uint32_t k = 0;
    for (; k + 4 <= widthA; k += 4)
        sum += dot(vload4(0, A + i * widthA + k), vload4(0, B + j * widthA + k));
    for (; k < widthA; k++)
        sum += A[i * widthA + k] * B[j * widthA + k];
    C[i * heightB + j] = sum;
}
