#define W (TILE_W + 2)
#define H (TILE_H + 2)
__kernel void gameOfLife(__global const uchar *now, __global uchar *next, uint32_t height, uint32_t width)
{
    __local uchar tile[H * W];
    const uint32_t lx = get_local_id(0);
    const uint32_t left = get_group_id(0) * TILE_W;
    const uint32_t top = get_group_id(1) * TILE_H;
    if (get_local_id(1) == 0 && lx < 16)
        for (uint32_t i = lx; i < H * W; i += 16) {
            uint32_t y = top + i / W;
            uint32_t x = left + i % W;
            y = y == 0 ? height - 1 : y == height + 1 ? 0 : y - 1;
            x = x == 0 ? width - 1 : x == width + 1 ? 0 : x - 1;
            tile[i] = y < height && x < width ? now[y * width + x] : 0;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(1) == 0 && lx < 16)
        for (uint32_t ly = 0; ly < TILE_H; ly++)
            for (uint32_t k = lx; k < TILE_W; k += 16) {
                const uint32_t x = left + k, y = top + ly;
                if (x < width && y < height) {
                    const __local uchar *above = tile + ly * W + k;
                    const __local uchar *middle = above + W;
                    const __local uchar *below = middle + W;
                    const uint32_t alive = above[0] + above[1] + above[2] + middle[0] + middle[2] + below[0] + below[1] + below[2];
                    next[y * width + x] = alive == 3 || (alive == 2 && middle[1] == 1);
                }
            }
}
