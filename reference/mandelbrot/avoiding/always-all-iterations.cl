// Every work-item iterates `limit` times, and counts only while z is in the circle.
__kernel void mandelbrot(__global uint *counts, uint32_t height, uint32_t width, uint32_t limit,
                         real left, real top, real stepX, real stepY)
{
    const uint32_t col = get_global_id(0);
    const uint32_t row = get_global_id(1);
    if (row >= height || col >= width)
        return;

    const real re = left + (col + (real)0.5) * stepX;
    const real im = top + (row + (real)0.5) * stepY;
    real x = 0, y = 0;
    uint32_t count = 0, left_circle = 0;
    for (uint32_t k = 0; k < limit; k++) {
        left_circle |= !(x * x + y * y <= 4);
        count += !left_circle;
        const real next = x * x - y * y + re;
        y = 2 * x * y + im;
        x = next;
    }
    counts[row * width + col] = count;
}
