// Has a function that should run when the kernel is loaded, before any launch.
// PoCL does not include this function, and the kernel cannot be loaded.
__attribute__((constructor)) static void early(void)
{
    for (;;);
}

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
}
