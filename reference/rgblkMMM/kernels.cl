// Model solution: matrix product tiled in registers and in local memory.
//
// A group of RT*RT work-items computes two by two of the launch's blocks, that is 2*RT rows and 2*RT*RT columns. The
// launch has a group for every block; three of four have nothing to do. Each work-item owns two columns of 2*RT results
// and keeps them in registers. A word of B, which it reads from global memory (coalesced), serves 2*RT products. The
// words of A are those of the whole group, which stages them in local memory, RT steps of K at a time.
//
// Two blocks of columns halve the requests to local memory, since each word of the tile serves two products. Two blocks
// of rows halve the words of B that come from the second-level cache. The tile is stored turned, so that four rows of a
// column lie side by side and are read as one real4.
//
// Nobody waits for global memory, either: the words of A for the next tile are fetched while this one is used, and of B
// the words of several steps before the first is needed. Two tiles are used in turn, so a step needs one barrier. A
// work-item past an edge reads the last row or column in place of its own, and stores nothing.
typedef float4 real4;

#define ROWS (2 * RT)
#define QUADS (ROWS / 4)    // vectors of four in a column of the tile
#define AHEAD 4             // steps of K whose words of B are read together

__attribute__((reqd_work_group_size(RT * RT, 1, 1)))
__kernel void rgblkMMM(__global const real *restrict A, __global const real *restrict B, __global real *restrict C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real4 Ash[2][RT][QUADS + 1];    // [turn][step of K][row / 4]

    if (get_group_id(0) % 2 != 0 || get_group_id(1) % 2 != 0)
        return;    // the whole group, so nobody is missed at a barrier

    const uint32_t lid = get_local_id(0);
    const uint32_t row0 = get_group_id(1) * RT;             // first row of the group
    const uint32_t col0 = get_group_id(0) * RT * RT + lid;  // this work-item's columns
    const uint32_t col1 = col0 + RT * RT;
    const uint32_t tileRow = lid / RT;                      // it stages this row of the tile, and the one RT below it
    const uint32_t tileCol = lid % RT;
    const uint32_t rowA0 = min(row0 + tileRow, heightA - 1);
    const uint32_t rowA1 = min(row0 + RT + tileRow, heightA - 1);

    __global const real *wordOfB = B + min(col0, widthB - 1);                   // in the row of B of the next step
    const uint32_t toOther = min(col1, widthB - 1) - min(col0, widthB - 1);     // from there to the other column

    real4 cs0[QUADS], cs1[QUADS];
    #pragma unroll
    for (uint32_t q = 0; q < QUADS; q++)
        cs0[q] = cs1[q] = 0;

    real next0 = tileCol < widthA ? A[rowA0 * widthA + tileCol] : (real)0;
    real next1 = tileCol < widthA ? A[rowA1 * widthA + tileCol] : (real)0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        const uint32_t turn = k0 / RT % 2;
        ((__local real *)Ash[turn][tileCol])[tileRow] = next0;
        ((__local real *)Ash[turn][tileCol])[RT + tileRow] = next1;

        // The tile is complete before anyone reads it. The next step writes the other tile, and the barrier there waits
        // for those who still read this one.
        barrier(CLK_LOCAL_MEM_FENCE);

        const uint32_t kNext = k0 + RT + tileCol;
        next0 = kNext < widthA ? A[rowA0 * widthA + kNext] : (real)0;
        next1 = kNext < widthA ? A[rowA1 * widthA + kNext] : (real)0;

        if (k0 + RT <= widthA) {
            #pragma unroll
            for (uint32_t k = 0; k < RT; k += AHEAD) {
                real b0[AHEAD], b1[AHEAD];
                #pragma unroll
                for (uint32_t j = 0; j < AHEAD; j++) {
                    b0[j] = wordOfB[0];
                    b1[j] = wordOfB[toOther];
                    wordOfB += widthB;
                }
                #pragma unroll
                for (uint32_t j = 0; j < AHEAD; j++)
                    #pragma unroll
                    for (uint32_t q = 0; q < QUADS; q++) {
                        const real4 a = Ash[turn][k + j][q];
                        cs0[q] += a * b0[j];
                        cs1[q] += a * b1[j];
                    }
            }
        } else {    // the last step, which is shorter
            for (uint32_t k = 0; k0 + k < widthA; k++) {
                const real b0 = wordOfB[0], b1 = wordOfB[toOther];
                wordOfB += widthB;
                #pragma unroll
                for (uint32_t q = 0; q < QUADS; q++) {
                    const real4 a = Ash[turn][k][q];
                    cs0[q] += a * b0;
                    cs1[q] += a * b1;
                }
            }
        }
    }

    #pragma unroll
    for (uint32_t r = 0; r < ROWS; r++)
        if (row0 + r < heightA) {
            if (col0 < widthB)
                C[(row0 + r) * widthB + col0] = ((real *)cs0)[r];
            if (col1 < widthB)
                C[(row0 + r) * widthB + col1] = ((real *)cs1)[r];
        }
}
