__kernel void mandelbrot(__global uint *counts, uint32_t height, uint32_t width, uint32_t limit,
                         real left, real top, real stepX, real stepY)
{
    // one dimension of the groups: neighbours compute neighbouring rows
    const uint32_t groups = get_num_groups(0), group = get_group_id(1) * groups + get_group_id(0);
    const uint32_t row0 = group / groups * TILE, col0 = group % groups * TILE;
    const uint32_t row = row0 + get_local_id(0), col = col0 + get_local_id(1);
    if (row >= height || col >= width)
        return;
    const real re = left + (col + 0.5f) * stepX, im = top + (row + 0.5f) * stepY;
    real x = 0, y = 0;
    uint32_t count = 0;
    for (; count < limit && x * x + y * y <= 4; count++) {
        const real t = x * x - y * y + re;
        y = 2 * x * y + im;
        x = t;
    }
    counts[row * width + col] = count;
}
