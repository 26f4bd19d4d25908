// transMMM: C = A * B^T, tiled in local memory; each work-item computes one element of C.
//
// A is heightA x widthA, B is heightB x widthA, C is heightA x heightB; all are row-major.
// C[row][col] is made of row `row` of A and row `col` of B. Walk along widthA a TILE at a time. In
// each step the work-group stages a TILE x TILE tile of A and one of B in local memory, and every
// work-item adds TILE products to its sum. What lies past an edge counts as zero.
//
// Launch:   work-group (TILE, TILE), global (ceil(heightB/TILE)*TILE, ceil(heightA/TILE)*TILE).
//           Dimension 0 runs along the columns of C, dimension 1 along its rows.
// Defined:  real (float), TILE (16), uint32_t (uint).
//
// Work-items past the edge of C must help to stage the tiles and reach every barrier.
__kernel void transMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t heightB, uint32_t widthA)
{
    // __local real Ash[TILE][TILE];
    // __local real Bsh[TILE][TILE];    // big enough for the way you read it?

    // TODO: for each step along widthA: stage both tiles, with zeros past the edges. Neighbours in
    // TODO: get_local_id(0) must read neighbouring words, of B too: which row does each read from?
    // TODO: then add up TILE products. Where do the two barriers of a step belong?
    // TODO: store the sum, if it is inside C
}
