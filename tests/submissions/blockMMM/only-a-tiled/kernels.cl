// A is read by row, so its tile helps. B is read coalesced already and needs no tile.
__kernel void blockMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[TILE][TILE];
    uint32_t tx = get_local_id(0), ty = get_local_id(1);
    uint32_t col = get_global_id(0), row = get_global_id(1);
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        Ash[ty][tx] = row < heightA && k0 + tx < widthA ? A[row*widthA + k0 + tx] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);

        if (col < widthB)
            for (uint32_t k = 0; k < TILE && k0 + k < widthA; k++)
                sum += Ash[ty][k] * B[(k0 + k)*widthB + col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < heightA && col < widthB)
        C[row*widthB + col] = sum;
}
