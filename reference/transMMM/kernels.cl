// Model solution: block-tiled product with a transpose, one result per work-item.
//
// The rows of both matrices run along k, so both tiles are loaded in one way: work-items that are neighbours in
// dimension 0 read neighbouring words of a row. So a work-item loads from another row of B than it multiplies. It loads
// for a column of C that get_local_id(1) counts, and computes a column that get_local_id(0) counts.
//
// The word is stored at [k][column of C], so the products read rows of the tile. This transposes the tile while it is
// stored. The extra column puts the words of a column of the tile in different banks.
//
// Two changes avoid waits. A work-item reads four neighbouring words of A, which a whole row of work-items shares, as
// one real4. And it loads the words of the next tiles while it computes this step.
typedef float4 real4;

__kernel void transMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t heightB, uint32_t widthA)
{
    __local real4 Ash[TILE][TILE / 4];    // real4 is aligned for reads of four words
    __local real Bsh[TILE][TILE + 1];

    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t row = get_global_id(1);                  // of A and of C
    const uint32_t col = get_global_id(0);                  // of C: the row of B that is multiplied
    const uint32_t rowB = get_group_id(0) * TILE + ly;      // the row of B that is loaded from
    __local real *const rowOfA = (__local real *)Ash[ly];

    real nextA = (row < heightA && lx < widthA) ? A[row * widthA + lx] : (real)0;
    real nextB = (rowB < heightB && lx < widthA) ? B[rowB * widthA + lx] : (real)0;

    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        rowOfA[lx] = nextA;
        Bsh[lx][ly] = nextB;

        barrier(CLK_LOCAL_MEM_FENCE);    // both tiles are complete before a work-item reads them

        const uint32_t k = k0 + TILE + lx;    // this work-item's word of the next step
        nextA = (row < heightA && k < widthA) ? A[row * widthA + k] : (real)0;
        nextB = (rowB < heightB && k < widthA) ? B[rowB * widthA + k] : (real)0;

        #pragma unroll
        for (uint32_t q = 0; q < TILE / 4; q++) {
            const real4 a = Ash[ly][q];
            sum += a.x * Bsh[4 * q][lx];
            sum += a.y * Bsh[4 * q + 1][lx];
            sum += a.z * Bsh[4 * q + 2][lx];
            sum += a.w * Bsh[4 * q + 3][lx];
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // all reads end before the next step overwrites them
    }

    if (row < heightA && col < heightB)
        C[row * heightB + col] = sum;
}
