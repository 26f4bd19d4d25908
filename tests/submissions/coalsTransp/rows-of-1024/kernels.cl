#define PITCH 1024

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t row = get_global_id(1), col = get_global_id(0);

    if (row < height && col < width)
        tile[y][x] = A[row * PITCH + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint32_t left = get_group_id(1) * TILE + x, top = get_group_id(0) * TILE + y;
    if (top < width && left < height)
        B[top * height + left] = tile[x][y];
}
