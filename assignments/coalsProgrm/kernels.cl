// coalsProgrm: the row recurrence, computed on transposed arrays.
//
// For each row of A:  accum = 0, then for each column: accum = a*a - accum, and B gets accum.
// Atr is A transposed and Btr is B transposed: both are width x height, row-major. Row i of A
// is column i of Atr. One work-item computes one row of A. The grader transposes A before
// your kernel and Btr after it; you write this kernel only.
//
// Launch:   work-group (PRG_WGSIZE), global (ceil(height/PRG_WGSIZE)*PRG_WGSIZE).
// Defined:  real (float), PRG_WGSIZE (128), uint32_t (uint).
//
// height and width are those of A, not of Atr.
__kernel void coalsProgrm(__global const real *Atr, __global real *Btr,
                          uint32_t height, uint32_t width)
{
    // TODO: which row of A is yours, and is there such a row?
    // TODO: run the recurrence along it, reading Atr and writing Btr
}
