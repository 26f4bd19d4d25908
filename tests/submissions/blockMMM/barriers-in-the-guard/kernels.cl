__kernel void blockMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real As[TILE][TILE], Bs[TILE][TILE];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int col = get_global_id(0), row = get_global_id(1);

    // only work-items with a column of C take part
    if (col < widthB) {
        real sum = 0;
        for (int k0 = 0; k0 < widthA; k0 += TILE) {
            As[ty][tx] = row < heightA && k0 + tx < widthA ? A[row * widthA + k0 + tx] : 0.f;
            Bs[ty][tx] = k0 + ty < widthA ? B[(k0 + ty) * widthB + col] : 0.f;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int k = 0; k < TILE; k++)
                sum += As[ty][k] * Bs[k][tx];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (row < heightA)
            C[row * widthB + col] = sum;
    }
}
