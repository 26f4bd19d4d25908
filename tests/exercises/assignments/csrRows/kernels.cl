// csrRows: y[r] is the sum of numbers[e] * x[places[e]] for the entries e from starts[r] up to starts[r + 1] - 1.
//
// Launch:   work-group (GROUP), global (ceil(rows/GROUP)*GROUP): a work-item for each row.
// Defined:  GROUP (64), uint32_t (uint).
__kernel void csrRows(uint32_t rows, __global const uint32_t *starts, __global const uint32_t *places,
                      __global const double *numbers, __global const double *x, __global double *y)
{
    // TODO
}
