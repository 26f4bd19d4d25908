__kernel void gameOfLife(__global const uchar *now, __global uchar *next, uint32_t height, uint32_t width)
{
    __local uchar tile[TILE_H + 2][TILE_W + 2];
    const uint32_t left = get_group_id(0) * TILE_W, top = get_group_id(1) * TILE_H;
    const uint32_t lx = get_local_id(0), ly = get_local_id(1);

    if (lx == 0 && ly == 0)
        for (uint32_t r = 0; r < TILE_H + 2; r++)
            for (uint32_t c = 0; c < TILE_W + 2; c++)
                tile[r][c] = now[(top + r + height - 1) % height * width + (left + c + width - 1) % width];
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint32_t x = left + lx, y = top + ly;
    if (x < width && y < height) {
        uint32_t alive = 0;
        for (uint32_t r = 0; r < 3; r++)
            for (uint32_t c = 0; c < 3; c++)
                alive += tile[ly + r][lx + c];
        alive -= tile[ly + 1][lx + 1];
        next[y * width + x] = alive == 3 || (alive == 2 && tile[ly + 1][lx + 1]);
    }
}
