// Model solution: block-tiled matrix product, one result per work-item.
//
// The group walks along K a TILE at a time. Each step stages a TILE x TILE block of A and of B
// in local memory; every word staged is then used TILE times. Words past an edge are staged as
// zero, so the inner loop needs no guard.
__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[TILE][TILE];
    __local real Bsh[TILE][TILE];

    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t col = get_global_id(0);
    const uint32_t row = get_global_id(1);

    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        Ash[ly][lx] = (row < heightA && k0 + lx < widthA) ? A[row * widthA + (k0 + lx)] : (real)0;
        Bsh[ly][lx] = (k0 + ly < widthA && col < widthB) ? B[(k0 + ly) * widthB + col] : (real)0;

        barrier(CLK_LOCAL_MEM_FENCE);    // both tiles are complete before anyone reads them

        for (uint32_t k = 0; k < TILE; k++)
            sum += Ash[ly][k] * Bsh[k][lx];

        barrier(CLK_LOCAL_MEM_FENCE);    // everyone has read them before the next step overwrites them
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
