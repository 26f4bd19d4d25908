// Coalesced, but each byte is counted in global memory.
__kernel void histogram(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[data[i]]);
}
