// Baseline: right, but each work-item adds up all elements up to its own.
__kernel void naive_@ASSIGNMENT@(__global const uint32_t *x, __global uint32_t *sum, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    uint32_t own = 0;
    for (uint32_t k = 0; k <= i; k++)
        own += x[k];
    sum[i] = own;
}
