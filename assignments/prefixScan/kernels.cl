// prefixScan: before[i] is the sum of x[0] to x[i-1], for all i. before[0] is 0. Sums wrap at 2^32, as uint does.
//
// scanBlocks: a group does this within its tile of TILE elements, as if the tile began with the first element of x. It
//             stores the sum of the whole tile in totals[tile].
// scanSums:   one group does it for the totals of all tiles. offsets[t] is the sum of totals[0] to totals[t-1].
// addOffsets: a group adds offsets[tile] to the elements of its tile.
//
// Launch:   work-group (WG), global (tiles*WG) for scanBlocks and addOffsets, (WG) for scanSums.
// Defined:  WG (128, always a power of two), TILE (512, which is 4*WG), uint32_t (uint).
__kernel void scanBlocks(__global const uint32_t *x, __global uint32_t *before, __global uint32_t *totals, uint32_t n)
{
    // __local uint32_t sums[WG];

    // TODO: add up the four elements of this work-item; the last tile may have fewer than TILE elements
    // TODO: scan the sums of the group in log2(WG) steps. Where must barriers be?
    // TODO: store four sums, and one work-item stores the sum of the tile
}

__kernel void scanSums(__global const uint32_t *totals, __global uint32_t *offsets, uint32_t tiles)
{
    // TODO: there may be more tiles than one group can scan at a time. What does the next part of them need to know?
}

__kernel void addOffsets(__global uint32_t *before, __global const uint32_t *offsets, uint32_t n)
{
    // TODO: read the offset once. Which elements of the tile should a work-item take?
}
