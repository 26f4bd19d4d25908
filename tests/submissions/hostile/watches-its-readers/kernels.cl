// Asks the operating system for a message when others read its files or its pipe, by inotify,
// dnotify, a lease, or a signal of its choice. The signal also wakes a stopped process.
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
    __private int ends[2];
    if (sys(22, (long)ends, 0, 0, 0, 0) < 0)
        return false;
    const long folder = sys(2, (long)"/tmp", 0, 0, 0, 0), own = sys(2, (long)"/tmp/hostile-watch", 0100, 0600, 0, 0);
    const bool watches = sys(253, 0, 0, 0, 0, 0) >= 0 || sys(294, 0, 0, 0, 0, 0) >= 0
        || sys(72, ends[0], 10, 18, 0, 0) >= 0    // F_SETSIG: SIGCONT
        || sys(72, ends[0], 8, sys(39, 0, 0, 0, 0, 0), 0, 0) >= 0    // F_SETOWN
        || sys(72, folder, 1026, 1, 0, 0) >= 0    // F_NOTIFY: DN_ACCESS
        || sys(72, own, 1024, 0, 0, 0) >= 0;    // F_SETLEASE: F_RDLCK
    sys(87, (long)"/tmp/hostile-watch", 0, 0, 0, 0);
    for (int i = 0; i < 2; i++)
        sys(3, ends[i], 0, 0, 0, 0);
    sys(3, folder, 0, 0, 0, 0);
    sys(3, own, 0, 0, 0, 0);
    return watches;
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
