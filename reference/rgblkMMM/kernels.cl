// Model solution: matrix product tiled in registers and in local memory.
//
// A group of RT*RT work-items computes SIDE by SIDE of the launch's blocks, that is 2*RT rows and 2*RT*RT columns. The
// launch has a group for every block, and three of four return at once. Each work-item has two columns of 2*RT results
// and keeps them in registers. A word of B, which it reads from global memory (coalesced), serves 2*RT products. The
// whole group needs the same words of A, and stages them in local memory, RT steps of K at a time.
//
// Two blocks of columns halve the requests to local memory, as each word of the tile serves two products. Two blocks
// of rows halve the words of B that come from the second-level cache. The tile is stored transposed: four rows of a
// column are next to each other and are read as one real4.
//
// Reads of global memory overlap with the arithmetic. The words of A for the next tile are loaded while this one is
// used, and the words of B for two steps before the first is needed. Two tiles alternate, so a step has one barrier. A
// work-item past an edge reads the last row or column instead of its own, and stores no result.
//
// Registers decide the speed: with at most 128 per work-item, a multiprocessor of an H200 has room for two groups.
typedef float4 real4;

#define SIDE 2                   // blocks along each side of a group's results
#define ROWS (SIDE * RT)
#define QUADS (ROWS / 4)         // vectors of four in a column of the tile
#define AHEAD 2                  // steps of K whose words of B are read together
#define ALL(i, count) _Pragma("unroll") for (uint32_t i = 0; i < count; i++)

__attribute__((reqd_work_group_size(RT * RT, 1, 1)))
__kernel void rgblkMMM(__global const real *restrict A, __global const real *restrict B, __global real *restrict C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real4 tiles[2][RT][QUADS + 1];    // [tile][step of K][row / 4]

    if (get_group_id(0) % SIDE != 0 || get_group_id(1) % SIDE != 0)
        return;    // the whole group, so no work-item is missing at a barrier

    const uint32_t lid = get_local_id(0);
    const uint32_t row0 = get_group_id(1) * RT;              // first row of the group
    const uint32_t col0 = get_group_id(0) * RT * RT + lid;   // this work-item's first column
    const uint32_t tileRow = lid / RT;                       // it stages this row of each block, in this column
    const uint32_t tileCol = lid % RT;

    __global const real *wordOfB = B + min(col0, widthB - 1);    // in the row of B of the next step
    uint32_t to[SIDE];                                           // from there to the word of each column
    ALL(c, SIDE)
        to[c] = min(col0 + c * RT * RT, widthB - 1) - min(col0, widthB - 1);
    uint32_t rowA[SIDE];                                         // where the staged rows of A begin
    ALL(i, SIDE)
        rowA[i] = min(row0 + i * RT + tileRow, heightA - 1) * widthA;

    real4 sums[SIDE][QUADS];
    ALL(c, SIDE)
        ALL(q, QUADS)
            sums[c][q] = 0;

    real next[SIDE];
    ALL(i, SIDE)
        next[i] = tileCol < widthA ? A[rowA[i] + tileCol] : (real)0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        __local real4 (*tile)[QUADS + 1] = tiles[k0 / RT % 2];
        ALL(i, SIDE)
            ((__local real *)tile[tileCol])[i * RT + tileRow] = next[i];

        // The tile is complete before it is read. The next step writes the other tile, and the barrier there waits
        // for work-items that still read this one.
        barrier(CLK_LOCAL_MEM_FENCE);

        const uint32_t kNext = k0 + RT + tileCol;
        ALL(i, SIDE)
            next[i] = kNext < widthA ? A[rowA[i] + kNext] : (real)0;

        if (k0 + RT <= widthA) {
            #pragma unroll
            for (uint32_t k = 0; k < RT; k += AHEAD) {
                real b[SIDE][AHEAD];
                ALL(j, AHEAD) {
                    ALL(c, SIDE)
                        b[c][j] = wordOfB[to[c]];
                    wordOfB += widthB;
                }
                ALL(j, AHEAD)
                    ALL(q, QUADS) {
                        const real4 a = tile[k + j][q];
                        ALL(c, SIDE)
                            sums[c][q] += a * b[c][j];
                    }
            }
        } else {    // the last step, which is shorter
            for (uint32_t k = 0; k0 + k < widthA; k++) {
                ALL(c, SIDE) {
                    const real b = wordOfB[to[c]];
                    ALL(q, QUADS)
                        sums[c][q] += tile[k][q] * b;
                }
                wordOfB += widthB;
            }
        }
    }

    ALL(r, ROWS)
        if (row0 + r < heightA)
            ALL(c, SIDE)
                if (col0 + c * RT * RT < widthB)
                    C[(row0 + r) * widthB + col0 + c * RT * RT] = ((real *)sums[c])[r];
}
