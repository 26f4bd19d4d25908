// Model solution: block-tiled matrix product, one result per work-item.
//
// The group walks along K a TILE at a time. Each step stages a TILE x TILE block of A and of B
// in local memory; every word staged is then used TILE times. Words past an edge are staged as
// zero, so the inner loop needs no guard.
//
// Two things keep it from waiting. Each product needs a word of either tile, and local memory serves one request
// of a warp at a time: so four words of A, which lie side by side and are the same for a whole row of work-items,
// are read as one real4. And the words of the next tiles are fetched while this step is computed, so that the way
// from global memory and the arithmetic overlap.
typedef float4 real4;

__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real4 Ash[TILE][TILE / 4];    // real4, so that it is aligned for reads of four words
    __local real Bsh[TILE][TILE];

    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t col = get_global_id(0);
    const uint32_t row = get_global_id(1);
    __local real *const rowOfA = (__local real *)Ash[ly];

    real nextA = (row < heightA && lx < widthA) ? A[row * widthA + lx] : (real)0;
    real nextB = (ly < widthA && col < widthB) ? B[ly * widthB + col] : (real)0;

    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        rowOfA[lx] = nextA;
        Bsh[ly][lx] = nextB;

        barrier(CLK_LOCAL_MEM_FENCE);    // both tiles are complete before anyone reads them

        const uint32_t kA = k0 + TILE + lx;    // what this work-item stages in the next step
        const uint32_t kB = k0 + TILE + ly;
        nextA = (row < heightA && kA < widthA) ? A[row * widthA + kA] : (real)0;
        nextB = (kB < widthA && col < widthB) ? B[kB * widthB + col] : (real)0;

        #pragma unroll
        for (uint32_t k = 0; k < TILE / 4; k++) {
            const real4 a = Ash[ly][k];
            sum += a.x * Bsh[4 * k][lx];
            sum += a.y * Bsh[4 * k + 1][lx];
            sum += a.z * Bsh[4 * k + 2][lx];
            sum += a.w * Bsh[4 * k + 3][lx];
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // everyone has read them before the next step overwrites them
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
