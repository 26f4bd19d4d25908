// Baseline: a kernel as for threads on a CPU. It is right, but each work-item computes 64 elements in a row, so
// neighbouring work-items access words that are 256 bytes apart. Reports give speed-ups over this kernel.
__kernel void naive_@ASSIGNMENT@(__global const real *x, __global real *y, real a, uint32_t n)
{
    const uint32_t first = 64 * get_global_id(0);
    for (uint32_t i = first; i < first + 64 && i < n; i++)
        y[i] = a * x[i] + y[i];
}
