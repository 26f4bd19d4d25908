// productLadder: C = A * B in five steps; all three matrices are n x n and row-major.
//
// Each kernel is graded for itself. Keep those that you have not come to: the file must build.
//
// Launch:   mmElement, mmBlock              work-group (TILE, TILE), global (ceil(n/TILE)*TILE, ceil(n/TILE)*TILE);
//                                           dimension 0 runs along the columns of C, dimension 1 along its rows.
//           mmRow, mmRowPrivate,            work-group (WG), global (ceil(n/WG)*WG); the global id is a row of C.
//           mmColumnLocal
// Defined:  real (float), TILE (16), WG (32), MAX_N (1024; n is never larger), uint32_t (uint).

// One element of C a work-item.
__kernel void mmElement(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    // TODO: which element is this work-item's, and is it inside C?
    // TODO: add up its n products in a variable, then store it
}

// One row of C a work-item.
__kernel void mmRow(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    // TODO: compute the elements of a row one after the other
}

// As before, but the row of A is fetched once.
__kernel void mmRowPrivate(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    // real rowOfA[MAX_N];

    // TODO: copy the row of A, then compute the elements of the row of C from the copy
}

// As before, and the work-group fetches each column of B once, into Bcol: n words of local memory.
__kernel void mmColumnLocal(__global const real *A, __global const real *B, __global real *C, uint32_t n,
                            __local real *Bcol)
{
    // real rowOfA[MAX_N];

    // TODO: for each column: the group copies it, then every work-item adds up its n products.
    // TODO: a column needs two barriers: where, and why? All work-items must reach them, also those past the last row
}

// One element of C a work-item again; the group stages tiles of A and of B.
__kernel void mmBlock(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    // __local real Ash[TILE][TILE];
    // __local real Bsh[TILE][TILE];

    // TODO: for each TILE words along k: stage both tiles, with zeros past the edges, then add up TILE products
    // TODO: store the sum, if it is inside C
}
