// Most groups lie wholly inside A. For them no element needs a test; the condition is the same for
// the whole group, so it may enclose the barrier.
__kernel void coalsTransp(__global const real *restrict A, __global real *restrict B,
                          uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 2];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;

    if (left + TILE <= width && top + TILE <= height) {
        tile[y][x] = A[(top + y) * width + left + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        B[(left + y) * height + top + x] = tile[x][y];
        return;
    }

    if (left + x < width && top + y < height)
        tile[y][x] = A[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (left + y < width && top + x < height)
        B[(left + y) * height + top + x] = tile[x][y];
}
