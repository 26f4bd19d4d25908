float2 square(float2 z)
{
    return (float2)((z.x - z.y) * (z.x + z.y), 2 * z.x * z.y);
}

kernel void mandelbrot(global uint *image, uint rows, uint columns, uint most, float x0, float y0, float dx, float dy)
{
    const size_t column = get_global_id(0), row = get_global_id(1);
    if (column < columns && row < rows) {
        const float2 c = (float2)(x0, y0) + ((float2)(column, row) + 0.5f) * (float2)(dx, dy);
        float2 z = c;    // the first iteration gives c
        uint done = min(1u, most);
        for (; done < most && dot(z, z) <= 4; done++)
            z = square(z) + c;
        image[row * columns + column] = done;
    }
}
