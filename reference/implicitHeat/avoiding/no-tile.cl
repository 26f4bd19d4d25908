// Each work-item reads its neighbours from global memory. Only the squares are added in local memory.
__kernel void relax(__global const double *heat, __global const double *old, __global double *new,
                    __global double *squares, uint height, uint width, double flow)
{
    __local double sums[ROWS][COLUMNS];
    const uint tx = get_local_id(0), ty = get_local_id(1);

    const uint x = get_global_id(0), y = get_global_id(1);
    double square = 0;
    if (x < width && y < height) {
        const double own = old[y * width + x];
        double sum = heat[y * width + x];
        sum += y > 0 ? flow * old[(y - 1) * width + x] : 0;
        sum += y + 1 < height ? flow * old[(y + 1) * width + x] : 0;
        sum += x > 0 ? flow * old[y * width + x - 1] : 0;
        sum += x + 1 < width ? flow * old[y * width + x + 1] : 0;
        const double next = sum / (1 + 4 * flow);
        new[y * width + x] = next;
        const double residual = (1 + 4 * flow) * (next - own);
        square = residual * residual;
    }
    sums[ty][tx] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_rows = ROWS / 2; half_rows > 0; half_rows /= 2) {
        if (ty < half_rows)
            sums[ty][tx] += sums[ty + half_rows][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint columns = COLUMNS / 2; columns > 0; columns /= 2) {
        if (ty == 0 && tx < columns)
            sums[0][tx] += sums[0][tx + columns];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tx == 0 && ty == 0)
        squares[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = sums[0][0];
}
