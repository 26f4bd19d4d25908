// Each work-item counts 32 bytes in a row, and then the next 32 that are a grid of such runs away.
__kernel void histogram(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    __local uint32_t part[BINS];
    const uint32_t lid = get_local_id(0);

    for (uint32_t b = lid; b < BINS; b += WG)
        part[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t run = 32 * get_global_id(0); run < n; run += 32 * GROUPS * WG)
        for (uint32_t i = run; i < run + 32 && i < n; i++)
            atomic_inc(&part[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t b = lid; b < BINS; b += WG)
        atomic_add(&counts[b], part[b]);
}
