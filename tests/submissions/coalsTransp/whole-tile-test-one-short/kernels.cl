// A tile that lacks its last row counts as whole.
__kernel void coalsTransp(__global const real *restrict A, __global real *restrict B,
                          uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 2];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;

    const bool whole = left + TILE <= width && top + TILE - 1 <= height;

    if (whole || (left + x < width && top + y < height))
        tile[y][x] = A[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (whole || (left + y < width && top + x < height))
        B[(left + y) * height + top + x] = tile[x][y];
}
