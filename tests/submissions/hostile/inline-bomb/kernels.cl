// Has fifteen functions, each with four calls of the one before, all inlined. That makes a billion copies.
#define INLINE static __attribute__((always_inline)) int
INLINE f0(int i) { return i * 7 ^ (i >> 3); }
INLINE f1(int i) { return f0(i) + f0(i ^ 1) * f0(i + 1) - f0(i * 1); }
INLINE f2(int i) { return f1(i) + f1(i ^ 2) * f1(i + 2) - f1(i * 2); }
INLINE f3(int i) { return f2(i) + f2(i ^ 3) * f2(i + 3) - f2(i * 3); }
INLINE f4(int i) { return f3(i) + f3(i ^ 4) * f3(i + 4) - f3(i * 4); }
INLINE f5(int i) { return f4(i) + f4(i ^ 5) * f4(i + 5) - f4(i * 5); }
INLINE f6(int i) { return f5(i) + f5(i ^ 6) * f5(i + 6) - f5(i * 6); }
INLINE f7(int i) { return f6(i) + f6(i ^ 7) * f6(i + 7) - f6(i * 7); }
INLINE f8(int i) { return f7(i) + f7(i ^ 8) * f7(i + 8) - f7(i * 8); }
INLINE f9(int i) { return f8(i) + f8(i ^ 9) * f8(i + 9) - f8(i * 9); }
INLINE f10(int i) { return f9(i) + f9(i ^ 10) * f9(i + 10) - f9(i * 10); }
INLINE f11(int i) { return f10(i) + f10(i ^ 11) * f10(i + 11) - f10(i * 11); }
INLINE f12(int i) { return f11(i) + f11(i ^ 12) * f11(i + 12) - f11(i * 12); }
INLINE f13(int i) { return f12(i) + f12(i ^ 13) * f12(i + 13) - f12(i * 13); }
INLINE f14(int i) { return f13(i) + f13(i ^ 14) * f13(i + 14) - f13(i * 14); }
INLINE f15(int i) { return f14(i) + f14(i ^ 15) * f14(i + 15) - f14(i * 15); }

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (x == 0 && y == 0 && f15(x) == 12345)
        B[0] = 666.0f;
}
