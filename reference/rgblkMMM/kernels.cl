// Model solution: matrix product tiled in registers and in local memory.
//
// A group of RT*RT work-items stages an RT x RT tile of A in local memory, RT steps of K at a time. Each work-item owns
// whole columns of RT results and keeps them in registers: a word of B, which it reads from global memory (coalesced),
// serves RT products.
//
// So each product needs a word of the tile, and local memory would be the limit: it serves one request of a warp at a
// time, which is a quarter of what the arithmetic units can take. Two things spare it. The tile is stored turned, so
// that four rows of a column lie side by side and are read as one real4. And a group computes two blocks of RT*RT
// columns, so that each word of the tile serves two products; the launch has a group for every block, and every other
// one has nothing to do.
//
// Nobody waits for global memory, either: the word of A for the next tile is fetched while this one is used, and of B
// the words of several steps before the first is needed. A work-item past an edge reads the last row or column in place
// of its own, and stores nothing.
typedef float4 real4;

#define COLUMNS 2        // of each work-item, RT*RT apart
#define QUADS (RT / 4)   // vectors of four in a column of the tile
#define AHEAD 4          // steps of K whose words of B are read together

// One step of K: a column of the tile times this work-item's words of a row of B.
inline void multiply(real4 (*sums)[QUADS], __local const real4 *column, const real *b)
{
    #pragma unroll
    for (uint32_t q = 0; q < QUADS; q++) {
        const real4 a = column[q];
        #pragma unroll
        for (uint32_t c = 0; c < COLUMNS; c++)
            sums[c][q] += a * b[c];
    }
}

__attribute__((reqd_work_group_size(RT * RT, 1, 1)))
__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real4 Ash[RT][QUADS + 1];    // [step of K][row / 4]

    if (get_group_id(0) % COLUMNS != 0)
        return;    // the whole group, so nobody is missed at a barrier

    const uint32_t lid = get_local_id(0);
    const uint32_t row0 = get_group_id(1) * RT;              // first row of the group
    const uint32_t col0 = get_group_id(0) * RT * RT + lid;   // this work-item's first column
    const uint32_t tileRow = lid / RT;                       // the word of the tile that it stages
    const uint32_t tileCol = lid % RT;
    __global const real *const rowOfA = A + min(row0 + tileRow, heightA - 1) * widthA;
    __local real *const staged = (__local real *)Ash[tileCol] + tileRow;

    real4 sums[COLUMNS][QUADS];
    uint32_t column[COLUMNS];
    #pragma unroll
    for (uint32_t c = 0; c < COLUMNS; c++) {
        column[c] = min(col0 + c * RT * RT, widthB - 1);
        #pragma unroll
        for (uint32_t q = 0; q < QUADS; q++)
            sums[c][q] = 0;
    }

    __global const real *rowOfB = B;
    real next = tileCol < widthA ? rowOfA[tileCol] : (real)0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        *staged = next;

        barrier(CLK_LOCAL_MEM_FENCE);    // the tile is complete before anyone reads it

        next = k0 + RT + tileCol < widthA ? rowOfA[k0 + RT + tileCol] : (real)0;

        if (k0 + RT <= widthA) {
            #pragma unroll
            for (uint32_t k = 0; k < RT; k += AHEAD) {
                real b[AHEAD][COLUMNS];
                #pragma unroll
                for (uint32_t j = 0; j < AHEAD; j++, rowOfB += widthB)
                    #pragma unroll
                    for (uint32_t c = 0; c < COLUMNS; c++)
                        b[j][c] = rowOfB[column[c]];
                #pragma unroll
                for (uint32_t j = 0; j < AHEAD; j++)
                    multiply(sums, Ash[k + j], b[j]);
            }
        } else {
            for (uint32_t k = 0; k0 + k < widthA; k++, rowOfB += widthB) {
                real b[COLUMNS];
                #pragma unroll
                for (uint32_t c = 0; c < COLUMNS; c++)
                    b[c] = rowOfB[column[c]];
                multiply(sums, Ash[k], b);
            }
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // everyone has read it before the next step overwrites it
    }

    #pragma unroll
    for (uint32_t c = 0; c < COLUMNS; c++) {
        const uint32_t col = col0 + c * RT * RT;
        #pragma unroll
        for (uint32_t r = 0; r < RT; r++)
            if (row0 + r < heightA && col < widthB)
                C[(row0 + r) * widthB + col] = ((real *)sums[c])[r];
    }
}
