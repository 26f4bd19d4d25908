// The five kernels of the course in one file.
//
// The grader looks only at the kernel of the assignment that you grade, but it compiles the
// whole file: all five must compile. It defines real, TILE, RT, CHUNK, PRG_WGSIZE and uint32_t;
// do not redefine them.

// --------------------------------------------------------------------------------------------
// coalsTransp: B = A transposed, with coalesced reads and coalesced writes.
//
// A is height x width, B is width x height, both row-major: element (r, c) of A is A[r*width + c].
// Copy a TILE x TILE block of A into local memory, and write it from there to B, transposed.
//
// Launch:   work-group (TILE, TILE), global (ceil(width/TILE)*TILE, ceil(height/TILE)*TILE).
//           Dimension 0 runs along the width of A, dimension 1 along its height.
//           Neighbours in dimension 0 should touch neighbouring words.
// Defined:  real (float), TILE (16), uint32_t (uint).
//
// You may add a last parameter `__local real *lmem`: it gets TILE*(TILE+1) elements.
__kernel void coalsTransp(__global const real *A, __global real *B,
                          uint32_t height, uint32_t width)
{
    // A tile with one column more than it needs (why? see the handout):
    // __local real tile[TILE][TILE + 1];

    // TODO: read one word of A into the tile, if it is inside A
    // TODO: wait until the whole work-group has done so
    // TODO: write one word of B from the tile, if it is inside B
}

// --------------------------------------------------------------------------------------------
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

// --------------------------------------------------------------------------------------------
// optimProgram: the row recurrence on A as it is, coalesced through local memory.
//
// For each row of A:  accum = 0, then for each column: accum = a*a - accum, and B gets accum.
// A and B are height x width, row-major. A work-group owns PRG_WGSIZE rows, a work-item one of
// them. The group walks over its rows CHUNK columns at a time: copy in, compute, copy out.
//
// Launch:   work-group (PRG_WGSIZE), global (ceil(height/PRG_WGSIZE)*PRG_WGSIZE).
// Defined:  real (float), PRG_WGSIZE (128), CHUNK (16; it divides PRG_WGSIZE), uint32_t (uint).
//
// Work-items past the last row must reach every barrier too: do not return early.
// You may add a last parameter `__local real *lmem`: it gets PRG_WGSIZE*(CHUNK+1) elements.
__kernel void optimProgram(__global const real *A, __global real *B,
                           uint32_t height, uint32_t width)
{
    // One block of the group's rows, with one column more than it needs:
    // __local real block[PRG_WGSIZE][CHUNK + 1];

    // TODO: for each CHUNK columns: the group copies its block of A in, coalesced,
    // TODO: each work-item runs the recurrence over its own row of the block,
    // TODO: the group copies the block out to B, coalesced. Where must the barriers stand?
}

// --------------------------------------------------------------------------------------------
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

// --------------------------------------------------------------------------------------------
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
