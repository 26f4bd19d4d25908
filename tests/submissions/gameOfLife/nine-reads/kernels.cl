__kernel void gameOfLife(__global const uchar *now, __global uchar *next, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    const uint32_t left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    const uint32_t above = y == 0 ? height - 1 : y - 1, below = y == height - 1 ? 0 : y + 1;
    const uchar alive = now[above * width + left] + now[above * width + x] + now[above * width + right]
                        + now[y * width + left] + now[y * width + right]
                        + now[below * width + left] + now[below * width + x] + now[below * width + right];
    next[y * width + x] = alive == 3 || (alive == 2 && now[y * width + x]);
}
