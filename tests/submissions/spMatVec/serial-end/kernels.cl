__kernel void spMatVec(__global const uint32_t *starts, __global const uint32_t *places, __global const real *values,
                       __global const real *x, __global real *y, uint32_t rows)
{
    __local real sums[ROWS][LANES];
    const uint32_t lane = get_local_id(0), row = get_global_id(1), r = get_local_id(1);

    real sum = 0;
    const uint32_t end = starts[min(row + 1, rows)];
    if (row < rows)
        for (uint32_t e = starts[row] + lane; e < end; e += LANES)
            sum += values[e] * x[places[e]];
    sums[r][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lane == 0 && row < rows) {
        sum = 0;
        for (uint32_t other = 0; other < LANES; other++)
            sum += sums[r][other];
        y[row] = sum;
    }
}
