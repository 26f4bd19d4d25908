// An item that fills the load exactly is left out.
__kernel void considerItem(__global const uint32_t *weights, __global const ulong *profits,
                           __global const ulong *before, __global ulong *best, uint32_t item, uint32_t capacity)
{
    const uint32_t load = get_global_id(0);
    if (load > capacity)
        return;
    const uint32_t weight = weights[item];
    const ulong without = before[load];
    best[load] = load <= weight ? without : max(without, before[load - weight] + profits[item]);
}
