// Read the block column by column, so it is already transposed in local memory.
__kernel void coalsTransp(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    __local real T[TILE][TILE + 1];
    uint32_t tx = get_local_id(0);
    uint32_t ty = get_local_id(1);

    uint32_t row = get_group_id(1) * TILE + tx;
    uint32_t col = get_group_id(0) * TILE + ty;
    if (row < height && col < width)
        T[ty][tx] = A[row * width + col];
    barrier(CLK_LOCAL_MEM_FENCE);

    if (row < height && col < width)
        B[col * height + row] = T[ty][tx];
}
