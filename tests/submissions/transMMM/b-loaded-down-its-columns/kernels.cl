// blockMMM with B[col][k] in place of B[k][col]
__kernel void transMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t heightB, uint32_t widthA)
{
    __local real Ash[TILE][TILE];
    __local real Bsh[TILE][TILE];
    uint32_t tx = get_local_id(0), ty = get_local_id(1);
    uint32_t col = get_global_id(0), row = get_global_id(1);
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        Ash[ty][tx] = row < heightA && k0 + tx < widthA ? A[row*widthA + k0 + tx] : 0;
        Bsh[ty][tx] = col < heightB && k0 + ty < widthA ? B[col*widthA + k0 + ty] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            sum += Ash[ty][k] * Bsh[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < heightA && col < heightB)
        C[row*heightB + col] = sum;
}
