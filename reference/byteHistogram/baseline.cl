// Baseline: each work-item counts a contiguous piece of data, directly in global memory.
__kernel void naiveHistogram(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    const uint32_t share = (n + get_global_size(0) - 1) / get_global_size(0);
    const uint32_t first = get_global_id(0) * share;
    for (uint32_t i = first; i < first + share && i < n; i++)
        atomic_inc(&counts[data[i]]);
}
