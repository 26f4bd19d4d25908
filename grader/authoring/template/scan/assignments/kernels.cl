// @ASSIGNMENT@: sum[i] is the sum of x[0] to x[i], for all i. Sums wrap at 2^32, as uint does.
//
// @ASSIGNMENT@:         a group does this within its tile of TILE elements, as if the tile began with the first element of x.
//                       It stores the sum of the whole tile in totals[tile].
// @ASSIGNMENT@_offsets: a group adds the totals of all tiles before its own to the elements of its tile.
//
// Launch:   work-group (TILE), global (ceil(n/TILE)*TILE).
// Defined:  TILE (128, a power of two), uint32_t (uint).
__kernel void @ASSIGNMENT@(__global const uint32_t *x, __global uint32_t *sum, __global uint32_t *totals, uint32_t n)
{
    // TODO: scan the elements of the tile in log2(TILE) steps. Where must barriers be?
    // TODO: store the sums, and one work-item stores the sum of the tile
}

__kernel void @ASSIGNMENT@_offsets(__global uint32_t *sum, __global const uint32_t *totals, uint32_t n)
{
    // TODO: add up the totals of the tiles before this one, and add the result to each element
}
