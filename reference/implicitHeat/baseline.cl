// Baseline: all neighbours are read from global memory, and one work-item of a group computes the residuals again.
double neighbours(__global const double *old, uint32_t y, uint32_t x, uint32_t height, uint32_t width)
{
    double sum = 0;
    if (y > 0)
        sum += old[(y - 1) * width + x];
    if (y + 1 < height)
        sum += old[(y + 1) * width + x];
    if (x > 0)
        sum += old[y * width + x - 1];
    if (x + 1 < width)
        sum += old[y * width + x + 1];
    return sum;
}

__kernel void naiveRelax(__global const double *heat, __global const double *old, __global double *new,
                         __global double *squares, uint32_t height, uint32_t width, double flow)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        new[y * width + x] = (heat[y * width + x] + flow * neighbours(old, y, x, height, width)) / (1 + 4 * flow);

    if (get_local_id(0) > 0 || get_local_id(1) > 0)
        return;
    double sum = 0;
    for (uint32_t cy = y; cy < y + ROWS && cy < height; cy++)
        for (uint32_t cx = x; cx < x + COLUMNS && cx < width; cx++) {
            const double right = heat[cy * width + cx] + flow * neighbours(old, cy, cx, height, width);
            const double residual = right - (1 + 4 * flow) * old[cy * width + cx];
            sum += residual * residual;
        }
    squares[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = sum;
}
