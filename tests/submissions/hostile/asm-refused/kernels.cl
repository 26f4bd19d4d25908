// Uses inline assembly in a course that does not allow it.

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    __asm__ volatile("nop");
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
}
