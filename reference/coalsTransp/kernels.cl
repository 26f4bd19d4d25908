// Model solution: transposition with coalesced reads and coalesced writes.
//
// A work-group owns one TILE x TILE block of A. Neighbouring work-items differ in
// get_local_id(0), so both global accesses walk along a row: first a row of A, then,
// after the tile has been turned in local memory, a row of B.
// The extra column of the tile puts the words of a tile column in different banks.
__kernel void coalsTransp(__global const real *A, __global real *B,
                          uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];

    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t x0 = get_group_id(0) * TILE;    // left column of the block in A
    const uint32_t y0 = get_group_id(1) * TILE;    // top row of the block in A

    if (y0 + ly < height && x0 + lx < width)
        tile[ly][lx] = A[(y0 + ly) * width + (x0 + lx)];

    barrier(CLK_LOCAL_MEM_FENCE);    // the tile is read by other work-items than wrote it

    if (x0 + ly < width && y0 + lx < height)
        B[(x0 + ly) * height + (y0 + lx)] = tile[lx][ly];
}
