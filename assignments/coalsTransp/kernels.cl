// coalsTransp: B = A transposed, with coalesced reads and coalesced writes.
//
// A is height x width, B is width x height, both row-major: element (r, c) of A is A[r*width + c].
// Copy a TILE x TILE block of A into local memory, and write it from there to B, transposed.
//
// Launch:   work-group (TILE, TILE), global (ceil(width/TILE)*TILE, ceil(height/TILE)*TILE).
//           Dimension 0 runs along the width of A, dimension 1 along its height.
//           Neighbours in dimension 0 should touch neighbouring words.
// Defined:  real (float), TILE (16), uint32_t (uint).
//
// You may add a last parameter `__local real *lmem`: it gets TILE*(TILE+1) elements.
__kernel void coalsTransp(__global const real *A, __global real *B,
                          uint32_t height, uint32_t width)
{
    // A tile with one column more than it needs (why? see the handout):
    // __local real tile[TILE][TILE + 1];

    // TODO: read one word of A into the tile, if it is inside A
    // TODO: wait until the whole work-group has done so
    // TODO: write one word of B from the tile, if it is inside B
}
