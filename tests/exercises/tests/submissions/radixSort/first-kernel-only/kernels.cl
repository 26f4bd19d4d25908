// Only the first kernel is written.
__kernel void countDigits(__global const uint32_t *keys, __global uint32_t *counts, uint32_t n, uint32_t tiles,
                          uint32_t shift)
{
    __local uint32_t own[DIGITS];
    const uint32_t lane = get_local_id(0), tile = get_group_id(0);
    if (lane < DIGITS)
        own[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t i = tile * TILE + lane; i < min(n, (tile + 1) * TILE); i += WG)
        atomic_inc(&own[keys[i] >> shift & (DIGITS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < DIGITS)
        counts[lane * tiles + tile] = own[lane];
}

