// Two pairs of tiles: step t uses pair t % 2.
//
// One barrier per step is enough. Steps t and t + 2 use the same pair. The barrier of step t + 1 is between
// the products of step t and the staging of step t + 2, and no work-item passes it before all work-items
// have finished the products of step t.
__kernel void blockMMM(__global const real *restrict A, __global const real *restrict B,
                       __global real *restrict C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[2][TILE][TILE];
    __local real Bsh[2][TILE][TILE];
    const uint32_t lx = get_local_id(0), ly = get_local_id(1);
    const uint32_t col = get_global_id(0), row = get_global_id(1);
    real sum = 0;
    int now = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        Ash[now][ly][lx] = row < heightA && k0 + lx < widthA ? A[row * widthA + k0 + lx] : (real)0;
        Bsh[now][ly][lx] = col < widthB && k0 + ly < widthA ? B[(k0 + ly) * widthB + col] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < TILE; k++)
            sum += Ash[now][ly][k] * Bsh[now][k][lx];
        now ^= 1;
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
