// Has a table of 2 GB in constant memory, which the compiler writes and the linker copies.
__constant char table[2000000000] = {1};

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (x == 0 && y == 0 && table[get_global_size(0) * 1000] != 0)
        B[0] = 666.0f;
}
