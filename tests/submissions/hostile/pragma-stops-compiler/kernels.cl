// Uses another pragma for developers of clang. It reports a fatal error of LLVM, which ends the process.
#pragma clang __debug llvm_fatal_error

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
}
