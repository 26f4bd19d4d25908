// Writes a line marker, as preprocessors do, so that errors point into a file with another name.
# 1 "/etc/passwd" 1
this is no C

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
}
