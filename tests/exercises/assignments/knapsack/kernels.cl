// considerItem: best[c] is the largest profit of the items 0 to item whose weights are together at most c, for every c
// from 0 to capacity. before[c] is the same without this item.
//
// Launch:   once for each item, work-group (GROUP), global (ceil((capacity + 1)/GROUP)*GROUP).
// Defined:  GROUP (64), uint32_t (uint).
__kernel void considerItem(__global const uint32_t *weights, __global const ulong *profits,
                           __global const ulong *before, __global ulong *best, uint32_t item, uint32_t capacity)
{
    // TODO: is the item in the best selection for this work-item's c?
}
