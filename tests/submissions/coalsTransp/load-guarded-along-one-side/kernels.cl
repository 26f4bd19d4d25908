// Columns past the edge: the store has a guard, so the words of the tile there
// do not matter and the load needs no guard.
__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real t[TILE][TILE + 1];
    const size_t i = get_local_id(1), j = get_local_id(0);
    const size_t row = get_group_id(1) * TILE + i;
    const size_t col = get_group_id(0) * TILE + j;

    t[i][j] = (row < height) ? A[row * width + col] : (real)0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const size_t outRow = get_group_id(0) * TILE + i;
    const size_t outCol = get_group_id(1) * TILE + j;
    if (outRow < width && outCol < height)
        B[outRow * height + outCol] = t[j][i];
}
