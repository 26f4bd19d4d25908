// Exercise 1. Work-items of a group run in lockstep, so the tile is full
// before a work-item reads it.
__kernel void coalsTransp(__global real *A, __global real *B,
                          uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    uint32_t lx = get_local_id(0);
    uint32_t ly = get_local_id(1);
    uint32_t bx = get_group_id(0) * TILE;
    uint32_t by = get_group_id(1) * TILE;

    if (by + ly < height && bx + lx < width)
        tile[ly][lx] = A[(by + ly) * width + bx + lx];

    if (bx + ly < width && by + lx < height)
        B[(bx + ly) * height + by + lx] = tile[lx][ly];
}
