__kernel void histogram(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    __local uint32_t part[BINS];
    const uint32_t lid = get_local_id(0);

    for (uint32_t b = lid; b < BINS; b += WG)
        part[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        part[data[i]] += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t b = lid; b < BINS; b += WG)
        atomic_add(&counts[b], part[b]);
}
