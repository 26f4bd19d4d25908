__kernel void mandelbrot(__global uint *counts, uint32_t height, uint32_t width, uint32_t limit,
                         real left, real top, real stepX, real stepY)
{
    if (get_group_id(0) % 2 || get_group_id(1) % 2)
        return;
    for (uint32_t tile = 0; tile < 4; tile++) {
        const uint32_t col = get_global_id(0) + tile % 2 * TILE, row = get_global_id(1) + tile / 2 * TILE;
        if (row >= height || col >= width)
            continue;
        const real re = left + (col + (real)0.5) * stepX, im = top + (row + (real)0.5) * stepY;
        real x = 0, y = 0, xx = 0, yy = 0;
        uint32_t count = 0;
        while (count < limit && xx + yy <= 4) {
            y = 2 * x * y + im;
            x = xx - yy + re;
            xx = x * x;
            yy = y * y;
            count++;
        }
        counts[row * width + col] = count;
    }
}
