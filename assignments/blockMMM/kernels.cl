// blockMMM: C = A * B, tiled in local memory; each work-item computes one element of C.
//
// A is heightA x widthA, B is widthA x widthB, C is heightA x widthB; all are row-major.
// Walk along widthA a TILE at a time. In each step the work-group stages a TILE x TILE tile of
// A and one of B in local memory, and every work-item adds TILE products to its sum. What lies
// past an edge counts as zero.
//
// Launch:   work-group (TILE, TILE), global (ceil(widthB/TILE)*TILE, ceil(heightA/TILE)*TILE).
//           Dimension 0 runs along the columns of C, dimension 1 along its rows.
// Defined:  real (float), TILE (16), uint32_t (uint).
//
// Work-items past the edge of C must help to stage the tiles and reach every barrier.
__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    // __local real Ash[TILE][TILE];
    // __local real Bsh[TILE][TILE];

    // TODO: for each step along widthA: stage both tiles, with zeros past the edges,
    // TODO: then add up TILE products. The step needs two barriers: where, and why?
    // TODO: store the sum, if it is inside C
}
