// OpenCL counts x first, so the local row is get_local_id(0) for the store
__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real As[TILE][TILE];
    __local real Bs[TILE][TILE];
    const uint32_t tx = get_local_id(0), ty = get_local_id(1);
    const uint32_t bx = get_group_id(0), by = get_group_id(1);
    const uint32_t x = bx * TILE + tx, y = by * TILE + ty;

    real acc = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        As[ty][tx] = y < heightA && k0 + tx < widthA ? A[y * widthA + k0 + tx] : (real)0;
        Bs[ty][tx] = x < widthB && k0 + ty < widthA ? B[(k0 + ty) * widthB + x] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            acc += As[ty][k] * Bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const uint32_t row = by * TILE + tx, col = bx * TILE + ty;
    if (row < heightA && col < widthB)
        C[row * widthB + col] = acc;
}
