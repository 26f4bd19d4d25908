// spMatVec: y = A x for a sparse matrix A, of which only the entries other than 0 are stored.
//
// Row r has the entries e from starts[r] up to starts[r + 1] - 1: the number values[e] in the column places[e].
// y[r] is the sum of values[e] * x[places[e]] over these entries, 0 for a row without entries.
// LANES work-items share a row, and ROWS rows share a work-group. Let neighbours read neighbouring entries, and add the
// LANES sums of a row in a tree in local memory.
//
// Launch:   work-group (LANES, ROWS), global (LANES, ceil(rows/ROWS)*ROWS): get_global_id(1) is the row.
// Defined:  real (float), LANES (32), ROWS (4), uint32_t (uint).
//
// Work-items past the last row must reach every barrier.
__kernel void spMatVec(__global const uint32_t *starts, __global const uint32_t *places, __global const real *values,
                       __global const real *x, __global real *y, uint32_t rows)
{
    // __local real sums[ROWS][LANES];

    // TODO: add up this work-item's share of the row
    // TODO: add the sums of the row in a tree. Where are its barriers?
    // TODO: store the result, once and if there is such a row
}
