// The first work-item of a group loads the whole tile, and the others wait for it.
#define W (TILE_W + 2)
#define H (TILE_H + 2)

__kernel void gameOfLife(__global const uchar *now, __global uchar *next, uint32_t height, uint32_t width)
{
    __local uchar tile[H][W];

    const uint32_t x = get_global_id(0), y = get_global_id(1);
    const uint32_t lx = get_local_id(0), ly = get_local_id(1);
    if (lx == 0 && ly == 0)
        for (uint32_t r = 0; r < H; r++)
            for (uint32_t c = 0; c < W; c++)
                tile[r][c] = now[(y + r + height - 1) % height * width + (x + c + width - 1) % width];
    barrier(CLK_LOCAL_MEM_FENCE);

    uint32_t alive = 0;
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t c = 0; c < 3; c++)
            alive += tile[ly + r][lx + c];
    alive -= tile[ly + 1][lx + 1];
    if (x < width && y < height)
        next[y * width + x] = alive == 3 || (alive == 2 && tile[ly + 1][lx + 1] == 1);
}
