// Model solution: each work-item computes one element, so neighbours read and write neighbouring words.
__kernel void @ASSIGNMENT@(__global const real *x, __global real *y, real a, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
