// Both rows are read from left to right, which is good for the cache.
__kernel void transMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t heightB, uint32_t widthA)
{
    __global const real *a = A + get_global_id(1) * widthA;
    __global const real *b = B + get_global_id(0) * widthA;
    if (get_global_id(1) >= heightA || get_global_id(0) >= heightB)
        return;

    real sum = 0;
    for (uint32_t k = 0; k < widthA; k++)
        sum += a[k] * b[k];
    C[get_global_id(1) * heightB + get_global_id(0)] = sum;
}
