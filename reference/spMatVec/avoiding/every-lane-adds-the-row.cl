// Every lane adds all entries of the row, and the first one stores the sum. There is no tree, and no local memory.
__kernel void spMatVec(__global const uint32_t *starts, __global const uint32_t *places, __global const real *values,
                       __global const real *x, __global real *y, uint32_t rows)
{
    const uint32_t row = get_global_id(1);
    if (row >= rows)
        return;

    const uint32_t end = starts[row + 1];
    real sum = 0;
    for (uint32_t e = starts[row]; e < end; e++)
        sum += values[e] * x[places[e]];
    if (get_local_id(0) == 0)
        y[row] = sum;
}
