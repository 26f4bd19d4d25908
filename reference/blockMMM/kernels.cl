// Model solution: block-tiled matrix product, one result per work-item.
//
// The group goes along K one TILE at a time. Each step stages a TILE x TILE block of A and of B in local memory, and
// uses each staged word TILE times. Words past an edge are staged as zero, so the inner loop needs no guard.
//
// Local memory is the limit: each product needs a word of each tile, and a multiprocessor serves one request of a warp
// at a time. So a work-item reads four words of a tile as one real4. These four words are neighbours along K and must
// be neighbours in memory. So the tile of B is stored transposed. If a warp computed a row of results, each request
// for B would ask for 32 different vectors. So it computes a patch of 4 rows and 8 columns: 4 vectors of A, 8 of B. Two
// neighbours share a column, because NVIDIA's local memory then takes two cycles for a request instead of four.
//
// Two pairs of tiles are used alternately, so a step needs one barrier. The words of the next step are read from global
// memory while this step is computed.
typedef float4 real4;

#define QUADS (TILE / 4)           // vectors of four in a row of a tile
#define ACROSS (TILE / 8)          // patches next to each other in a group

__kernel void blockMMM(__global const real *restrict A, __global const real *restrict B, __global real *restrict C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    // The extra vector puts the rows of a patch in different banks.
    __local real4 Ash[2][TILE][QUADS + 1];    // [turn][row][k / 4]
    __local real4 Bsh[2][TILE][QUADS + 1];    // [turn][column][k / 4]

    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t warp = (ly * TILE + lx) / 32;
    const uint32_t lane = (ly * TILE + lx) % 32;
    const uint32_t c = warp % ACROSS * 8 + lane / 2 % 8;                // this work-item's column of the tile
    const uint32_t r = warp / ACROSS * 4 + lane / 16 * 2 + lane % 2;    // and its row
    const uint32_t col = get_group_id(0) * TILE + c;
    const uint32_t row = get_group_id(1) * TILE + r;

    // It stages a word of its own column of B, and of A a word that its neighbours continue along the row.
    const uint32_t rowA = get_group_id(1) * TILE + ly;
    real nextA = (rowA < heightA && lx < widthA) ? A[rowA * widthA + lx] : (real)0;
    real nextB = (r < widthA && col < widthB) ? B[r * widthB + col] : (real)0;

    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        const uint32_t turn = k0 / TILE % 2;
        ((__local real *)Ash[turn][ly])[lx] = nextA;
        ((__local real *)Bsh[turn][c])[r] = nextB;

        // Both tiles are complete before they are read. The next step writes the other pair, and the barrier there
        // waits for work-items that still read this one.
        barrier(CLK_LOCAL_MEM_FENCE);

        const uint32_t kA = k0 + TILE + lx;    // this work-item's word of the next step
        const uint32_t kB = k0 + TILE + r;
        nextA = (rowA < heightA && kA < widthA) ? A[rowA * widthA + kA] : (real)0;
        nextB = (kB < widthA && col < widthB) ? B[kB * widthB + col] : (real)0;

        #pragma unroll 2    // unrolled completely, registers have room for one group instead of two
        for (uint32_t q = 0; q < QUADS; q++) {
            const real4 a = Ash[turn][r][q];
            const real4 b = Bsh[turn][c][q];
            sum += a.x * b.x;
            sum += a.y * b.y;
            sum += a.z * b.z;
            sum += a.w * b.w;
        }
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
