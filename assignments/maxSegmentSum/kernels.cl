// reduceBlocks, reduceTops: the largest sum of neighbouring words of x.
//
// An Interval describes some neighbouring words. It has the fields sum (of all of them), prefix (the largest sum of a
// segment that begins with the first word), suffix (of one that ends with the last word) and best (of any segment), all
// int. A segment may be empty, so that prefix, suffix and best are never negative.
//
// Launch:   work-group (WG), global (count*WG), then (WG). count is n / (WG*ITEMS), rounded up.
// Defined:  WG (128, always a power of two), ITEMS (9, always odd), uint32_t (uint), Interval.
//
// words (WG*ITEMS words) and scratch (WG intervals) are local memory of the work-group. There may be no words left for
// some work-items. They must still reach every barrier.

// TODO: the interval of two neighbours, of which a is the left one
Interval combined(Interval a, Interval b)
{
    return a;
}

// Work-group g reduces words g*WG*ITEMS to (g + 1)*WG*ITEMS - 1 of x to blocks[g].
__kernel void reduceBlocks(__global const int *x, __global Interval *blocks, uint32_t n, __local int *words,
                           __local Interval *scratch)
{
    // TODO: copy the words of the group to local memory, so that neighbours read neighbouring words
    // TODO: reduce ITEMS neighbouring words to one interval
    // TODO: combine the intervals of the group in log2(WG) steps. Which two may be combined?
    // TODO: one work-item stores the interval of the group
}

// One work-group reduces count intervals to result[0].
__kernel void reduceTops(__global const Interval *blocks, __global Interval *result, uint32_t count,
                         __local Interval *scratch)
{
    // TODO: reduce neighbouring intervals to one, then as above
}
