// Baseline: each work-item reads its ITEMS neighbouring words from global memory, so neighbours read words that are ITEMS
// apart. Then one work-item of the group combines all intervals.
Interval combined(Interval a, Interval b)
{
    Interval both;
    both.sum = a.sum + b.sum;
    both.prefix = max(a.prefix, a.sum + b.prefix);
    both.suffix = max(b.suffix, b.sum + a.suffix);
    both.best = max(max(a.best, b.best), a.suffix + b.prefix);
    return both;
}

__kernel void naiveBlocks(__global const int *x, __global Interval *blocks, uint32_t n, __local Interval *scratch)
{
    const uint32_t lid = get_local_id(0);
    const uint32_t first = get_global_id(0) * ITEMS;

    Interval own = {0, 0, 0, 0};
    for (uint32_t i = first; i < first + ITEMS && i < n; i++) {
        const int positive = max(x[i], 0);
        const Interval word = {x[i], positive, positive, positive};
        own = combined(own, word);
    }
    scratch[lid] = own;

    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid == 0) {
        for (uint32_t other = 1; other < WG; other++)
            own = combined(own, scratch[other]);
        blocks[get_group_id(0)] = own;
    }
}

__kernel void naiveTops(__global const Interval *blocks, __global Interval *result, uint32_t count,
                        __local Interval *scratch)
{
    if (get_local_id(0) == 0) {
        Interval own = {0, 0, 0, 0};
        for (uint32_t i = 0; i < count; i++)
            own = combined(own, blocks[i]);
        result[0] = own;
    }
}
