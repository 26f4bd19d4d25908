// segmentedScan: sums[i] is the sum of the elements from the beginning of i's segment to x[i].
//
// A segment begins at each element whose flag is 1, and at element 0. All other flags are 0.
//
// scanBlocks: a group does this within its tile of TILE elements, as if a segment began with the tile. totals[tile] is
//             the sum of the last element, firsts[tile] the place of the tile's first flag: 0 is the first element of
//             the tile, TILE means that the tile has no flag.
// scanTotals: one group computes carries[t], the sum of all elements before tile t that belong to its first segment.
// addCarries: a group adds carries[tile] to the elements of its tile before the first flag.
//
// Launch:   work-group (WG), global (tiles*WG) for scanBlocks and addCarries, (WG) for scanTotals.
// Defined:  WG (128, always a power of two), TILE (512, which is 4*WG), uint32_t (uint).
__kernel void scanBlocks(__global const int *x, __global const uchar *flags, __global int *sums, __global int *totals,
                         __global uint32_t *firsts, uint32_t n)
{
    // __local int values[WG];
    // __local uint32_t begun[WG];

    // TODO: combine the four elements of this work-item to a pair: is there a flag, and what is the last sum?
    // TODO: scan the pairs of the group in log2(WG) steps. What does a step do if the later pair has a flag?
    // TODO: store four sums, and for the tile its total and the place of its first flag
}

__kernel void scanTotals(__global const int *totals, __global const uint32_t *firsts, __global int *carries,
                         uint32_t tiles)
{
    // TODO: which pair does a tile have? There may be more tiles than one group can scan at a time.
}

__kernel void addCarries(__global int *sums, __global const uint32_t *firsts, __global const int *carries, uint32_t n)
{
    // TODO: which elements of the tile need the carry? The others need not be read
}
