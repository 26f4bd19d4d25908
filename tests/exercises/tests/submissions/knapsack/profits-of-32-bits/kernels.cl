__kernel void considerItem(__global const uint32_t *weights, __global const ulong *profits,
                           __global const ulong *before, __global ulong *best, uint32_t item, uint32_t capacity)
{
    const uint32_t load = get_global_id(0);
    if (load > capacity)
        return;
    uint32_t without = before[load], with = 0;
    if (load >= weights[item])
        with = before[load - weights[item]] + profits[item];
    best[load] = max(without, with);
}
