// Baseline: the same with branches.
__kernel void considerItem(__global const uint32_t *weights, __global const ulong *profits,
                           __global const ulong *before, __global ulong *best, uint32_t item, uint32_t capacity)
{
    const uint32_t load = get_global_id(0);
    if (load <= capacity) {
        best[load] = before[load];
        if (load >= weights[item] && before[load - weights[item]] + profits[item] > best[load])
            best[load] = before[load - weights[item]] + profits[item];
    }
}
