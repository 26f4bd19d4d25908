__kernel void mandelbrot(__global uint *counts, uint32_t height, uint32_t width, uint32_t limit,
                         real left, real top, real stepX, real stepY)
{
    const uint32_t col = get_global_id(0), row = get_global_id(1);
    if (row >= height || col >= width)
        return;
    const real re = left + (col + 0.5f) * stepX, im = top + (row + 0.5f) * stepY;
    real x = 0, y = 0;
    uint32_t count = 0;
    for (; count < limit && x * x + y * y <= 2; count++) {
        const real t = x * x - y * y + re;
        y = 2 * x * y + im;
        x = t;
    }
    counts[row * width + col] = count;
}
