// Baseline: one row per work-item. Neighbours read entries that are far apart, and the longest row of a warp decides.
__kernel void naiveRows(__global const uint32_t *starts, __global const uint32_t *places, __global const real *values,
                        __global const real *x, __global real *y, uint32_t rows)
{
    const uint32_t row = get_global_id(0);
    if (row >= rows)
        return;

    real sum = 0;
    for (uint32_t e = starts[row]; e < starts[row + 1]; e++)
        sum += values[e] * x[places[e]];
    y[row] = sum;
}
