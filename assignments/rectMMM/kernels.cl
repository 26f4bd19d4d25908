// rectMMM: C = A * B, tiled in local memory, for rectangles of any size; each work-item computes one
// element of C.
//
// A is heightA x widthA, B is widthA x widthB, C is heightA x widthB; all are row-major.
// Walk along widthA a TILE at a time. In each step the work-group stages a TILE x TILE tile of A and
// one of B in local memory, with zeros for what lies past an edge, and every work-item adds TILE
// products to its sum.
//
// Launch:   work-group (TILE, TILE), global (ceil(widthB/TILE)*TILE, ceil(heightA/TILE)*TILE).
//           Dimension 0 runs along the columns of C, dimension 1 along its rows.
// Defined:  real (float), uint32_t (uint), and TILE as the next line states it: 8, 16 or 32.
//
// grader: TILE = 16
__kernel void rectMMM(__global const real *A, __global const real *B, __global real *C,
                      uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    // __local real Ash[TILE][TILE];
    // __local real Bsh[TILE][TILE];

    // TODO: for each step along widthA: stage both tiles. When is there a word of A to load, when one
    // TODO: of B, and what is staged where there is none?
    // TODO: then add up TILE products, and ask nothing. Where do the two barriers of a step belong?
    // TODO: store the sum. When is there a place for it?
}
