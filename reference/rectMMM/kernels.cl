// Model solution: block-tiled product of any rectangles, one result per work-item.
//
// A work-item has three different guards: is its word of the tile of A inside A, is its word of the tile of B inside B,
// is its result inside C? The row and the column that it computes do not change, so these halves of the guards are
// computed once. Only the position along k is tested in each step. Words outside are staged as zero, so the inner loop,
// which takes nearly all of the time, has no test.
//
// A tile of 32 moves the fewest words, and a row of it is one warp, so all work-items of a warp have one result of the
// row test. Large tiles also extend further past the edges. If nearly all of a matrix is inside, this costs little.
//
// Two changes avoid waits. A work-item reads four neighbouring words of A, which a whole row of work-items shares, as
// one real4. And it loads the words of the next tiles while it computes this step.
//
// grader: TILE = 32
typedef float4 real4;

__kernel void rectMMM(__global const real *A, __global const real *B, __global real *C,
                      uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real4 Ash[TILE][TILE / 4];    // real4 is aligned for reads of four words
    __local real Bsh[TILE][TILE];

    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t row = get_global_id(1);
    const uint32_t col = get_global_id(0);
    __local real *const rowOfA = (__local real *)Ash[ly];

    // End along k of this work-item's words: the whole width, or zero.
    const uint32_t endA = row < heightA ? widthA : 0;
    const uint32_t endB = col < widthB ? widthA : 0;

    real nextA = lx < endA ? A[row * widthA + lx] : (real)0;
    real nextB = ly < endB ? B[ly * widthB + col] : (real)0;

    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        rowOfA[lx] = nextA;
        Bsh[ly][lx] = nextB;

        barrier(CLK_LOCAL_MEM_FENCE);    // both tiles are complete before a work-item reads them

        const uint32_t kA = k0 + TILE + lx;    // this work-item's word of the next step
        const uint32_t kB = k0 + TILE + ly;
        nextA = kA < endA ? A[row * widthA + kA] : (real)0;
        nextB = kB < endB ? B[kB * widthB + col] : (real)0;

        #pragma unroll
        for (uint32_t k = 0; k < TILE / 4; k++) {
            const real4 a = Ash[ly][k];
            sum += a.x * Bsh[4 * k][lx];
            sum += a.y * Bsh[4 * k + 1][lx];
            sum += a.z * Bsh[4 * k + 2][lx];
            sum += a.w * Bsh[4 * k + 3][lx];
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // all reads end before the next step overwrites them
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
