__kernel void coalsTransp(__global real *A, __global real *B,
                          uint32_t height, uint32_t width)
{
    __local real buf[TILE][TILE + 1];
    uint32_t lx = get_local_id(0), ly = get_local_id(1);
    uint32_t x = get_global_id(0), y = get_global_id(1);
    bool inside = x < width && y < height;

    buf[ly][lx] = inside ? A[y * width + x] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    // the same limit as before, for the swapped block
    uint32_t row = get_group_id(0) * TILE + ly;
    uint32_t col = get_group_id(1) * TILE + lx;
    if (row < width && col < width)
        B[row * height + col] = buf[lx][ly];
}
