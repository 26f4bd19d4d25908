// Baseline: one element per work-item, no local memory. Reads are coalesced, writes are not.
__kernel void naiveTransp(__global const real *A, __global real *B,
                          uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0);
    const uint32_t y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
}
