// rgblkMMM: C = A * B, tiled in registers and in local memory.
//
// A is heightA x widthA, B is widthA x widthB, C is heightA x widthB; all are row-major.
// A work-group computes RT rows by RT*RT columns of C; a work-item computes the RT results of
// one column, and keeps them in registers. Only A is staged in local memory, an RT x RT tile
// at a time; each word of B is read once into a register and used RT times.
//
// Launch:   work-group (RT*RT, 1), global (ceil(widthB/(RT*RT))*RT*RT, ceil(heightA/RT)).
//           Dimension 0 runs along the columns of C; get_group_id(1) counts blocks of RT rows.
// Defined:  real (float), RT (16), uint32_t (uint).
//
// Work-items past the edge of C must help to stage the tile and reach every barrier.
__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    // __local real Ash[RT][RT + 1];    the tile of A
    // real cs[RT];                     this work-item's results

    // TODO: set the results to zero
    // TODO: for each step along widthA: stage the tile, then add RT products to each result
    // TODO: store the results that are inside C
}
