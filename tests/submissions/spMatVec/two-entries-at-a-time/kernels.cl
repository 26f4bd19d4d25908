// Two reads of each array are under way at a time. The first step of the tree adds four sums.
__kernel void spMatVec(__global const uint32_t *starts, __global const uint32_t *places, __global const real *values,
                       __global const real *x, __global real *y, uint32_t rows)
{
    __local real sums[ROWS][LANES];
    const uint32_t lane = get_local_id(0), r = get_local_id(1);
    const uint32_t row = get_global_id(1);

    real even = 0, odd = 0;
    if (row < rows) {
        uint32_t e = starts[row] + lane;
        const uint32_t end = starts[row + 1];
        for (; e + LANES < end; e += 2 * LANES) {
            even += values[e] * x[places[e]];
            odd += values[e + LANES] * x[places[e + LANES]];
        }
        if (e < end)
            even += values[e] * x[places[e]];
    }
    sums[r][lane] = even + odd;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 8)
        sums[r][lane] += sums[r][lane + 8] + (sums[r][lane + 16] + sums[r][lane + 24]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 2)
        sums[r][lane] += sums[r][lane + 2] + (sums[r][lane + 4] + sums[r][lane + 6]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && row < rows)
        y[row] = sums[r][0] + sums[r][1];
}
