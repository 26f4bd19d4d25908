#define ROWS 4    // of the tile, which two warps move at a time

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    const uint32_t lid = get_local_id(1) * TILE + get_local_id(0), x = lid % TILE, y = lid / TILE;
    const uint32_t x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;
    if (y < ROWS)
        for (uint32_t r = y; r < TILE; r += ROWS)
            if (y0 + r < height && x0 + x < width)
                tile[r][x] = A[(y0 + r) * width + x0 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y < ROWS)
        for (uint32_t r = y; r < TILE; r += ROWS)
            if (x0 + r < width && y0 + x < height)
                B[(x0 + r) * height + y0 + x] = tile[x][r];
}
