// Model solution: an iteration of Jacobi's method on a tile in local memory, and the squares of its residuals.
//
// A group loads its tile with a rim of one cell on each side, so a cell of old is read once, and again only at the edges
// of tiles. The sum over the four neighbours serves the new cell and the residual of the old cell. So the test for
// convergence needs no further reads of global memory. The tile is no longer needed when the squares are added, but its
// memory is small enough not to be shared with them.
__kernel void relax(__global const double *heat, __global const double *old, __global double *new,
                    __global double *squares, uint32_t height, uint32_t width, double flow)
{
    __local double tile[ROWS + 2][COLUMNS + 2];
    __local double sums[ROWS * COLUMNS];

    const int tx = get_local_id(0), ty = get_local_id(1);
    const int x = get_global_id(0), y = get_global_id(1);
    const int lid = ty * COLUMNS + tx;
    const bool is_inside = x < width && y < height;

    tile[ty + 1][tx + 1] = is_inside ? old[y * width + x] : 0;
    if (ty == 0)
        tile[0][tx + 1] = y > 0 && x < width ? old[(y - 1) * width + x] : 0;
    if (ty == ROWS - 1)
        tile[ROWS + 1][tx + 1] = y + 1 < height && x < width ? old[(y + 1) * width + x] : 0;
    if (lid < 2 * ROWS) {    // the columns on both sides, by work-items of one warp
        const int row = lid / 2, side = lid % 2 * (COLUMNS + 1);
        const int cx = x - tx + side - 1, cy = y - ty + row;
        tile[row + 1][side] = cx >= 0 && cx < width && cy < height ? old[cy * width + cx] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    double residual = 0;
    if (is_inside) {
        const double around = tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2];
        const double right = heat[y * width + x] + flow * around;
        new[y * width + x] = right / (1 + 4 * flow);
        residual = right - (1 + 4 * flow) * tile[ty + 1][tx + 1];
    }
    sums[lid] = residual * residual;

    for (int span = ROWS * COLUMNS / 2; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);    // the step before is complete
        if (lid < span)
            sums[lid] += sums[lid + span];
    }
    if (lid == 0)
        squares[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = sums[0];
}
