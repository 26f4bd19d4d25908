// A word is read if it is inside; the last step along k is cut off.
__kernel void transMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t heightB, uint32_t widthA)
{
    __local real rowsA[TILE][TILE], rowsB[TILE][TILE + 1];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t row = get_global_id(1), col = get_global_id(0), other = get_group_id(0) * TILE + y;
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        const uint32_t k = k0 + x, end = min(k0, widthA);
        rowsA[y][x] = row < heightA && k < end ? A[row * widthA + k] : 0;
        rowsB[y][x] = other < heightB && k < end ? B[other * widthA + k] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t t = 0; t < TILE; t++)
            sum += rowsA[y][t] * rowsB[x][t];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < heightA && col < heightB)
        C[row * heightB + col] = sum;
}
