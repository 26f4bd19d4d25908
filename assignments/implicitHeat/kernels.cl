// implicitHeat: one iteration of Jacobi's method for an implicit step of heat conduction, in double.
//
// Solves (1 + 4*flow)*u[y][x] - flow*(the four neighbours of u[y][x]) = heat[y][x] for u. Cells outside the plate are 0.
// It computes new from old:  new[y][x] = (heat[y][x] + flow*(the four neighbours of old[y][x])) / (1 + 4*flow)
// The host then swaps old and new. It stops the iteration when the residual of old is small. The residual of
// a cell is heat[y][x] - ((1 + 4*flow)*old[y][x] - flow*(the four neighbours of old[y][x])).
// squares[g] is the sum of the squares of the residuals in the cells of work-group g. The number of a group is
// get_group_id(1)*get_num_groups(0) + get_group_id(0).
//
// Launch:   work-group (COLUMNS, ROWS), global (ceil(width/COLUMNS)*COLUMNS, ceil(height/ROWS)*ROWS).
// Defined:  COLUMNS (32), ROWS (8), uint32_t (uint).
__kernel void relax(__global const double *heat, __global const double *old, __global double *new,
                    __global double *squares, uint32_t height, uint32_t width, double flow)
{
    // __local double tile[ROWS + 2][COLUMNS + 2];

    // TODO: load the cells of the group and the cells around them. Which value has a cell outside the plate?
    // TODO: compute the new cell, and the residual of the old one
    // TODO: add the squares of the group in a tree. Which square does a work-item outside the plate add?
}
