// The first work-item of a row adds all entries of the row.
__kernel void spMatVec(__global const uint32_t *starts, __global const uint32_t *places, __global const real *values,
                       __global const real *x, __global real *y, uint32_t rows)
{
    const uint32_t row = get_global_id(1);
    if (get_local_id(0) > 0 || row >= rows)
        return;

    real sum = 0;
    for (uint32_t e = starts[row]; e < starts[row + 1]; e++)
        sum += values[e] * x[places[e]];
    y[row] = sum;
}
