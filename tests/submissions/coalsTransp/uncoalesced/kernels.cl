// through local memory, since that is fast
__kernel void coalsTransp(__global real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    uint32_t col = get_global_id(0);
    uint32_t row = get_global_id(1);
    uint32_t lx = get_local_id(0), ly = get_local_id(1);

    if (row < height && col < width)
        tile[ly][lx] = A[row * width + col];

    barrier(CLK_LOCAL_MEM_FENCE);

    if (row < height && col < width)
        B[col * height + row] = tile[ly][lx];
}
