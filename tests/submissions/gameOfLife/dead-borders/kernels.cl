// Cells outside of the field are taken to be dead.
#define W (TILE_W + 2)
#define H (TILE_H + 2)

__kernel void gameOfLife(__global const uchar *now, __global uchar *next, uint32_t height, uint32_t width)
{
    __local uchar tile[H][W];
    const int x = get_global_id(0), y = get_global_id(1);
    const int lx = get_local_id(0), ly = get_local_id(1);

    for (int i = ly * TILE_W + lx; i < H * W; i += TILE_W * TILE_H) {
        const int row = y - ly + i / W - 1;
        const int column = x - lx + i % W - 1;
        const bool inside = row >= 0 && row < height && column >= 0 && column < width;
        tile[i / W][i % W] = inside ? now[row * width + column] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height)
        return;

    uint32_t alive = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            alive += tile[ly + dy][lx + dx];
    const uchar cell = tile[ly + 1][lx + 1];
    alive -= cell;
    next[y * width + x] = alive == 3 || (cell && alive == 2);
}
