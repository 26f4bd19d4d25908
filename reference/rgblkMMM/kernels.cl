// Model solution: matrix product tiled in registers and in local memory.
//
// A group of RT*RT work-items stages an RT x RT tile of A in local memory, RT steps of K at a time. Each work-item owns
// whole columns of RT results and keeps them in registers: a word of B, which it reads from global memory (coalesced),
// serves RT products.
//
// So each product needs a word of the tile, and local memory would be the limit: it serves one request of a warp at a
// time, which is a quarter of what the arithmetic units can take. Two things spare it. The tile is stored turned, so
// that four rows of a column lie side by side and are read as one real4. And a group computes COLUMNS blocks of
// RT*RT columns, so that each word of the tile serves COLUMNS products; the launch has a group for every block, and
// those that are not the first of COLUMNS have nothing to do.
//
// Every index is clamped to the last row and column of its array, in place of a guard around every read: a work-item
// past an edge computes what nobody stores. Steps past the end of K are staged as zero in the tile.
typedef float4 real4;

#define COLUMNS 2        // of each work-item
#define QUADS (RT / 4)   // vectors of four in a column of the tile
#define AHEAD 4          // steps of K whose words of B are read before the first is used

__attribute__((reqd_work_group_size(RT * RT, 1, 1)))    // or the compiler must leave registers for larger groups
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
    const uint32_t rowA = min(row0 + tileRow, heightA - 1);
    __local real *const staged = (__local real *)Ash[tileCol] + tileRow;

    real4 cs[COLUMNS][QUADS];
    #pragma unroll
    for (uint32_t c = 0; c < COLUMNS; c++)
        #pragma unroll
        for (uint32_t q = 0; q < QUADS; q++)
            cs[c][q] = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        *staged = k0 + tileCol < widthA ? A[rowA * widthA + (k0 + tileCol)] : (real)0;

        barrier(CLK_LOCAL_MEM_FENCE);    // the tile is complete before anyone reads it

        #pragma unroll
        for (uint32_t k = 0; k < RT; k += AHEAD) {
            real b[AHEAD][COLUMNS];
            #pragma unroll
            for (uint32_t j = 0; j < AHEAD; j++) {
                const uint32_t rowB = min(k0 + k + j, widthA - 1);
                #pragma unroll
                for (uint32_t c = 0; c < COLUMNS; c++)
                    b[j][c] = B[rowB * widthB + min(col0 + c * RT * RT, widthB - 1)];
            }
            #pragma unroll
            for (uint32_t j = 0; j < AHEAD; j++)
                #pragma unroll
                for (uint32_t q = 0; q < QUADS; q++) {
                    const real4 a = Ash[k + j][q];
                    #pragma unroll
                    for (uint32_t c = 0; c < COLUMNS; c++)
                        cs[c][q] += a * b[j][c];
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
                C[(row0 + r) * widthB + col] = ((real *)cs[c])[r];
    }
}
