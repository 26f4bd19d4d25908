// Has thirteen macros, each eight times the one before. Expanded, they are 2^39 terms.
#define M0 1+1+1+1+1+1+1+1
#define M1 M0+M0+M0+M0+M0+M0+M0+M0
#define M2 M1+M1+M1+M1+M1+M1+M1+M1
#define M3 M2+M2+M2+M2+M2+M2+M2+M2
#define M4 M3+M3+M3+M3+M3+M3+M3+M3
#define M5 M4+M4+M4+M4+M4+M4+M4+M4
#define M6 M5+M5+M5+M5+M5+M5+M5+M5
#define M7 M6+M6+M6+M6+M6+M6+M6+M6
#define M8 M7+M7+M7+M7+M7+M7+M7+M7
#define M9 M8+M8+M8+M8+M8+M8+M8+M8
#define M10 M9+M9+M9+M9+M9+M9+M9+M9
#define M11 M10+M10+M10+M10+M10+M10+M10+M10
#define M12 M11+M11+M11+M11+M11+M11+M11+M11
__constant long sum = M12;

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
}
