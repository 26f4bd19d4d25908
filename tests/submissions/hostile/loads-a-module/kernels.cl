// Loads a module into the operating system's kernel. The module is
// empty, and it is refused for its form only if loading is allowed.
static __attribute__((noinline)) long sys(long n, long a, long b, long c, long d, long e)
{
    long r;
    __asm__ volatile("mov %5, %%r10\n mov %6, %%r8\n xor %%r9d, %%r9d\n syscall"
                     : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(d), "r"(e)
                     : "rcx", "r8", "r9", "r10", "r11", "memory");
    return r;
}

static bool attack(void)
{
    __private long image = 0;
    return sys(175, (long)&image, 8, (long)"", 0, 0) == -8;
}

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    const uint32_t x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    if (x < width && y < height)
        tile[ly][lx] = A[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint32_t row = x - lx + ly, column = y - ly + lx;
    if (row < width && column < height)
        B[row * height + column] = tile[lx][ly];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (x == 0 && y == 0 && attack())
        B[0] = 666.0f;
}
