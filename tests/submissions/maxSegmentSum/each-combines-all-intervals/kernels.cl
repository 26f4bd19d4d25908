// Every work-item combines the intervals of all, and the first one stores the result. There is no tree.
Interval combined(Interval a, Interval b)
{
    Interval both;
    both.sum = a.sum + b.sum;
    both.prefix = max(a.prefix, a.sum + b.prefix);
    both.suffix = max(b.suffix, b.sum + a.suffix);
    both.best = max(max(a.best, b.best), a.suffix + b.prefix);
    return both;
}

__kernel void reduceBlocks(__global const int *x, __global Interval *blocks, uint32_t n, __local int *words,
                           __local Interval *scratch)
{
    const uint32_t lid = get_local_id(0);
    const uint32_t first = get_group_id(0) * WG * ITEMS;

    for (uint32_t i = lid; i < WG * ITEMS; i += WG)
        words[i] = first + i < n ? x[first + i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    Interval own = {0, 0, 0, 0};
    for (uint32_t k = 0; k < ITEMS; k++) {
        const int word = words[lid * ITEMS + k];
        const Interval one = {word, max(word, 0), max(word, 0), max(word, 0)};
        own = combined(own, one);
    }
    scratch[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);

    Interval all = {0, 0, 0, 0};
    for (uint32_t other = 0; other < WG; other++)
        all = combined(all, scratch[other]);
    if (lid == 0)
        blocks[get_group_id(0)] = all;
}

__kernel void reduceTops(__global const Interval *blocks, __global Interval *result, uint32_t count,
                         __local Interval *scratch)
{
    Interval all = {0, 0, 0, 0};
    for (uint32_t i = 0; i < count; i++)
        all = combined(all, blocks[i]);
    if (get_local_id(0) == 0)
        result[0] = all;
}
