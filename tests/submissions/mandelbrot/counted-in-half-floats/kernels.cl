// real is a half float here: a pixel at the edge gets another count
__kernel void mandelbrot(__global uint *counts, uint32_t height, uint32_t width, uint32_t limit,
                         real left, real top, real stepX, real stepY)
{
    const uint32_t col = get_global_id(0), row = get_global_id(1);
    if (row >= height || col >= width)
        return;
    const real re = as_float(as_uint(left + (col + 0.5f) * stepX) & 0xFFFFE000);
    const real im = as_float(as_uint(top + (row + 0.5f) * stepY) & 0xFFFFE000);
    real x = 0, y = 0, xx = 0, yy = 0;
    uint32_t count = 0;
    for (; count < limit && xx + yy <= 4; count++) {
        y = 2 * x * y + im;
        x = xx - yy + re;
        xx = x * x;
        yy = y * y;
    }
    counts[row * width + col] = count;
}
