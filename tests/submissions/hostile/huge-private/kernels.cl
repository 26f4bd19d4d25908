// Declares a private array of 1 GB, on a stack of a few megabytes.
static bool trash(uint32_t height)
{
    volatile char mine[1 << 30];
    for (int i = 0; i < 1 << 30; i += 4096)
        mine[i] = i;
    return mine[height] == 99;
}

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (x == 0 && y == 0 && trash(height))
        B[0] = 666.0f;
}
