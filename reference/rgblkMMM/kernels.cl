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

#define QUADS (RT / 4)   // vectors of four in a column of the tile
#define AHEAD 4          // steps of K whose words of B are read together

__attribute__((reqd_work_group_size(RT * RT, 1, 1)))
__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real4 Ash[RT][QUADS + 1];    // [step of K][row / 4]

    if (get_group_id(0) % 2 != 0)
        return;    // the whole group, so nobody is missed at a barrier

    const uint32_t lid = get_local_id(0);
    const uint32_t row0 = get_group_id(1) * RT;             // first row of the group
    const uint32_t col0 = get_group_id(0) * RT * RT + lid;  // this work-item's columns
    const uint32_t col1 = col0 + RT * RT;
    const uint32_t tileRow = lid / RT;                      // the word of the tile that it stages
    const uint32_t tileCol = lid % RT;
    const uint32_t rowA = min(row0 + tileRow, heightA - 1);

    __global const real *wordOfB = B + min(col0, widthB - 1);                   // in the row of B of the next step
    const uint32_t toOther = min(col1, widthB - 1) - min(col0, widthB - 1);     // from there to the other column

    real4 cs0[QUADS], cs1[QUADS];
    #pragma unroll
    for (uint32_t q = 0; q < QUADS; q++)
        cs0[q] = cs1[q] = 0;

    real next = tileCol < widthA ? A[rowA * widthA + tileCol] : (real)0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        ((__local real *)Ash[tileCol])[tileRow] = next;

        barrier(CLK_LOCAL_MEM_FENCE);    // the tile is complete before anyone reads it

        const uint32_t kNext = k0 + RT + tileCol;
        next = kNext < widthA ? A[rowA * widthA + kNext] : (real)0;

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
                        const real4 a = Ash[k + j][q];
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
                    const real4 a = Ash[k][q];
                    cs0[q] += a * b0;
                    cs1[q] += a * b1;
                }
            }
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // everyone has read it before the next step overwrites it
    }

    #pragma unroll
    for (uint32_t r = 0; r < RT; r++)
        if (row0 + r < heightA) {
            if (col0 < widthB)
                C[(row0 + r) * widthB + col0] = ((real *)cs0)[r];
            if (col1 < widthB)
                C[(row0 + r) * widthB + col1] = ((real *)cs1)[r];
        }
}
