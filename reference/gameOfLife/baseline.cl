// Baseline: each work-item reads its cell and the eight neighbours from global memory.
__kernel void naiveLife(__global const uchar *now, __global uchar *next, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0);
    const uint32_t y = get_global_id(1);
    if (x >= width || y >= height)
        return;

    uint32_t alive = 0;
    for (uint32_t dy = 0; dy < 3; dy++)
        for (uint32_t dx = 0; dx < 3; dx++)
            alive += now[(y + dy + height - 1) % height * width + (x + dx + width - 1) % width];

    const uchar cell = now[y * width + x];
    alive -= cell;
    next[y * width + x] = alive == 3 || (alive == 2 && cell == 1);
}
