// Baseline: what one writes who thinks of threads on a CPU. It is right, but each work-item walks along 16 elements of its
// own, so that neighbours are 64 bytes apart. Speed-ups are told over this kernel.
__kernel void naive_@ASSIGNMENT@(__global const real *x, __global real *y, real a, uint32_t n)
{
    const uint32_t first = 16 * get_global_id(0);
    for (uint32_t i = first; i < first + 16 && i < n; i++)
        y[i] = a * x[i] + y[i];
}
