// Model solution: the sum of a row is in a register.
__kernel void csrRows(uint32_t rows, __global const uint32_t *starts, __global const uint32_t *places,
                      __global const double *numbers, __global const double *x, __global double *y)
{
    const uint32_t row = get_global_id(0);
    if (row >= rows)
        return;
    double sum = 0;
    for (uint32_t e = starts[row]; e < starts[row + 1]; e++)
        sum += numbers[e] * x[places[e]];
    y[row] = sum;
}
