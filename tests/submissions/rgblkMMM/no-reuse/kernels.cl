// One column of RT results per work-item, straight from global memory.
__kernel void rgblkMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    uint32_t col  = get_global_id(0);
    uint32_t row0 = get_group_id(1) * RT;
    if (col >= widthB)
        return;

    for (uint32_t row = row0; row < row0 + RT && row < heightA; row++) {
        real sum = 0;
        for (uint32_t k = 0; k < widthA; k++)
            sum += A[row*widthA + k] * B[k*widthB + col];
        C[row*widthB + col] = sum;
    }
}
