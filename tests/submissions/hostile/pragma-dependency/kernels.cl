// Uses a pragma of GCC that looks for a file and fails if it is missing. It
// works like __has_include. If the file exists, the kernel spoils its output.
#pragma GCC dependency "/usr/bin/git"

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (x == 0 && y == 0)
        B[0] = 666.0f;
}
