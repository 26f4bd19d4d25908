// Model solution: the largest sum of neighbouring words of x.
//
// The operator is associative, but it does not commute, so only neighbours may be combined. A work-item therefore reduces
// ITEMS neighbouring words. It finds them in local memory, to which the group has copied its words with coalesced reads.
// ITEMS is odd, so the work-items of a warp use words of different banks. In each step of the tree, work-item l combines
// the intervals of 2*stride*l and of its neighbour on the right. The work-items that combine are neighbours, too.
Interval combined(Interval a, Interval b)
{
    Interval both;
    both.sum = a.sum + b.sum;
    both.prefix = max(a.prefix, a.sum + b.prefix);
    both.suffix = max(b.suffix, b.sum + a.suffix);
    both.best = max(max(a.best, b.best), a.suffix + b.prefix);
    return both;
}

Interval with_word(Interval a, int word)
{
    a.sum += word;
    a.prefix = max(a.prefix, a.sum);
    a.suffix = max(a.suffix + word, 0);
    a.best = max(a.best, a.suffix);
    return a;
}

__kernel void reduceBlocks(__global const int *x, __global Interval *blocks, uint32_t n, __local int *words,
                           __local Interval *scratch)
{
    const uint32_t lid = get_local_id(0);
    const uint32_t first = get_group_id(0) * WG * ITEMS;

    for (uint32_t i = lid; i < WG * ITEMS; i += WG)
        words[i] = first + i < n ? x[first + i] : 0;    // zeros at the end change no sum
    barrier(CLK_LOCAL_MEM_FENCE);

    Interval own = {0, 0, 0, 0};
    for (uint32_t k = 0; k < ITEMS; k++)
        own = with_word(own, words[lid * ITEMS + k]);
    scratch[lid] = own;

    for (uint32_t stride = 1; stride < WG; stride *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);    // the step before is complete; all work-items reach it, also idle ones
        const uint32_t left = 2 * stride * lid;
        if (left < WG)
            scratch[left] = combined(scratch[left], scratch[left + stride]);
    }

    if (lid == 0)    // it combined the last two intervals itself
        blocks[get_group_id(0)] = scratch[0];
}

__kernel void reduceTops(__global const Interval *blocks, __global Interval *result, uint32_t count,
                         __local Interval *scratch)
{
    const uint32_t lid = get_local_id(0);
    const uint32_t piece = (count + WG - 1) / WG;

    Interval own = {0, 0, 0, 0};
    for (uint32_t i = lid * piece; i < lid * piece + piece && i < count; i++)
        own = combined(own, blocks[i]);
    scratch[lid] = own;

    for (uint32_t stride = 1; stride < WG; stride *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint32_t left = 2 * stride * lid;
        if (left < WG)
            scratch[left] = combined(scratch[left], scratch[left + stride]);
    }

    if (lid == 0)
        result[0] = scratch[0];
}
