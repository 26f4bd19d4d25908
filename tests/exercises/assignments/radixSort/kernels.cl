// Radix sort: in each of eight passes, the keys are sorted by four bits, from bit `shift` on. Keys with equal digits
// keep their order. A tile has TILE keys, and a work-group sorts one tile.
//
// Launch:   countDigits and scatter: a group of WG for each tile. scanCounts: one group.
// Defined:  WG (64), TILE (256), DIGITS (16), uint32_t (uint).

// counts[digit*tiles + tile] is the number of keys with this digit in this tile.
__kernel void countDigits(__global const uint32_t *keys, __global uint32_t *counts, uint32_t n, uint32_t tiles,
                          uint32_t shift)
{
    // TODO
}

// Each count becomes the sum of all counts before it.
__kernel void scanCounts(__global uint32_t *counts, uint32_t counters)
{
    // TODO
}

// Each key goes to the place in `other` that the scanned counts state.
__kernel void scatter(__global const uint32_t *keys, __global const uint32_t *counts, __global uint32_t *other,
                      uint32_t n, uint32_t tiles, uint32_t shift)
{
    // TODO
}
