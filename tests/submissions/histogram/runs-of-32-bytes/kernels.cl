__kernel void histogram(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    __local uint32_t part[BINS];
    const uint32_t lid = get_local_id(0);

    for (uint32_t b = lid; b < BINS; b += WG)
        part[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t i = get_group_id(0) * ((n + GROUPS - 1) / GROUPS) + lid * 32, m = min(n, (get_group_id(0) + 1) * ((n + GROUPS - 1) / GROUPS)), r = 0; i < m; i += ++r % 32 ? 1 : 32 * WG - 31)
        atomic_inc(&part[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t b = lid; b < BINS; b += WG)
        atomic_add(&counts[b], part[b]);
}
