// All iterations, with products and sums that are hidden in a built-in function.
__kernel void mandelbrot(__global uint *counts, uint32_t height, uint32_t width, uint32_t limit,
                         real left, real top, real stepX, real stepY)
{
    const uint32_t col = get_global_id(0), row = get_global_id(1);
    if (row >= height || col >= width)
        return;
    const float2 c = (float2)(left + (col + (real)0.5) * stepX, top + (row + (real)0.5) * stepY);
    float2 z = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < limit; i++) {
        count += dot(z, z) <= 4;
        z = (float2)(dot(z, (float2)(z.x, -z.y)), dot(z, z.yx)) + c;
    }
    counts[row * width + col] = count;
}
