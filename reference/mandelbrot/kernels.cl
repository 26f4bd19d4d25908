// Model solution: a pixel per work-item.
//
// Nothing is read, so only the arithmetic counts, and how many of a warp's work-items take part in it. A warp iterates
// until the last of its pixels is decided. Pixels that are close together in both directions need similar counts.
//
// The squares of the test for |z| > 2 also serve the next z.
__kernel void mandelbrot(__global uint *counts, uint32_t height, uint32_t width, uint32_t limit,
                         real left, real top, real stepX, real stepY)
{
    const uint32_t col = get_global_id(0);
    const uint32_t row = get_global_id(1);
    if (row >= height || col >= width)
        return;

    const real re = left + (col + (real)0.5) * stepX;
    const real im = top + (row + (real)0.5) * stepY;
    real x = 0, y = 0, xx = 0, yy = 0;    // z, and the squares of its parts

    uint32_t count = 0;
    while (count < limit && xx + yy <= 4) {
        y = 2 * x * y + im;    // before x changes
        x = xx - yy + re;
        xx = x * x;
        yy = y * y;
        count++;
    }
    counts[row * width + col] = count;
}
