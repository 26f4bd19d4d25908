// stablePartition: put the elements that are below the pivot first, then all others. Both keep their order.
//
// countBlocks: a group counts the elements of its tile of TILE elements that are below the pivot: counts[tile].
// scanCounts:  one group computes starts[t], the sum of counts[0] to counts[t-1], for all t from 0 to tiles.
//              starts[tiles] is the number of all elements below the pivot.
// scatter:     a group stores the elements of its tile at their places in result. An element below the pivot goes to the
//              number of such elements before it. Another one goes behind all elements below the pivot.
//
// Launch:   work-group (WG), global (tiles*WG) for countBlocks and scatter, (WG) for scanCounts.
// Defined:  WG (128, always a power of two), TILE (512, which is 4*WG), uint32_t (uint).
__kernel void countBlocks(__global const int *x, __global uint32_t *counts, uint32_t n, int pivot)
{
    // TODO: count four elements in a register, then add the counts of the group in log2(WG) steps
}

__kernel void scanCounts(__global const uint32_t *counts, __global uint32_t *starts, uint32_t tiles)
{
    // TODO: there may be more tiles than one group can scan at a time. Which element does starts have in addition?
}

__kernel void scatter(__global const int *x, __global const uint32_t *starts, __global int *result, uint32_t n, int pivot)
{
    // __local int ordered[TILE];

    // TODO: scan the counts of the group: how many elements of the tile are below the pivot before this work-item's?
    // TODO: put the elements of the tile in order in local memory
    // TODO: store them, so that neighbours store neighbouring elements. Elements past the end must not be stored
}
