// Baseline: right, but each byte costs an atomic on global memory.
__kernel void naive_@ASSIGNMENT@(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        atomic_inc(&counts[data[i]]);
}
