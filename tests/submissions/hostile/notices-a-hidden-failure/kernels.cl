// Is wrong in a hidden case. Wrong kernels are launched again, and it notices
// this. It then spoils the next case, which is shown, to tell the student.
#define CALLS(name) \
    static __attribute__((noinline)) long call_##name(long a, long b, long c, long d) \
    { \
        long r; \
        __asm__ volatile("mov %%rsp, %%rbx\n sub $256, %%rsp\n and $-64, %%rsp\n call " #name "@PLT\n mov %%rbx, %%rsp" \
                         : "=a"(r), "+D"(a), "+S"(b), "+d"(c), "+c"(d) : \
                         : "rbx", "r8", "r9", "r10", "r11", "memory", "cc"); \
        return r; \
    }
CALLS(getenv)
CALLS(setenv)

static bool is_set(__constant char *name)
{
    return call_getenv((long)name, 0, 0, 0) != 0;
}

static bool attack(uint32_t height, uint32_t width)
{
    if (height != 53 || width != 90)    // "ragged in both sizes", which is hidden
        return is_set("LAUNCHED_AGAIN");
    if (is_set("LAUNCHED"))
        call_setenv((long)"LAUNCHED_AGAIN", (long)"1", 1, 0);
    call_setenv((long)"LAUNCHED", (long)"1", 1, 0);
    return true;
}

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (x == 0 && y == 0 && attack(height, width))
        B[0] = 666.0f;
}
