// Baseline: each work-item computes a row, as a thread of a CPU would.
__kernel void naiveMandelbrot(__global uint *counts, uint32_t height, uint32_t width, uint32_t limit,
                              real left, real top, real stepX, real stepY)
{
    const uint32_t row = get_global_id(0);
    if (row >= height)
        return;

    const real im = top + (row + (real)0.5) * stepY;
    for (uint32_t col = 0; col < width; col++) {
        const real re = left + (col + (real)0.5) * stepX;
        real x = 0, y = 0;
        uint32_t count = 0;
        while (count < limit && x * x + y * y <= 4) {
            const real next = x * x - y * y + re;
            y = 2 * x * y + im;
            x = next;
            count++;
        }
        counts[row * width + col] = count;
    }
}
