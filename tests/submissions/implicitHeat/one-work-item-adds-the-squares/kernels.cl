__kernel void relax(__global const double *heat, __global const double *old, __global double *new,
                    __global double *squares, uint height, uint width, double flow)
{
    __local double tile[ROWS + 2][COLUMNS + 2];
    __local double sums[ROWS][COLUMNS];
    const uint tx = get_local_id(0), ty = get_local_id(1);
    const int first_x = get_group_id(0) * COLUMNS - 1, first_y = get_group_id(1) * ROWS - 1;

    for (int row = ty; row < ROWS + 2; row += ROWS)
        for (int column = tx; column < COLUMNS + 2; column += COLUMNS) {
            const int x = first_x + column, y = first_y + row;
            double cell = 0;
            if (x >= 0 && x < (int)width && y >= 0 && y < (int)height)
                cell = old[y * width + x];
            tile[row][column] = cell;
        }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint x = get_global_id(0), y = get_global_id(1);
    double square = 0;
    if (x < width && y < height) {
        const double own = tile[ty + 1][tx + 1];
        double sum = heat[y * width + x];
        sum += flow * tile[ty][tx + 1];
        sum += flow * tile[ty + 2][tx + 1];
        sum += flow * tile[ty + 1][tx];
        sum += flow * tile[ty + 1][tx + 2];
        const double next = sum / (1 + 4 * flow);
        new[y * width + x] = next;
        const double residual = (1 + 4 * flow) * (next - own);
        square = residual * residual;
    }
    sums[ty][tx] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx == 0 && ty == 0)
        for (uint other = 1; other < ROWS * COLUMNS; other++)
            sums[0][0] += sums[other / COLUMNS][other % COLUMNS];
    if (tx == 0 && ty == 0)
        squares[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = sums[0][0];
}
