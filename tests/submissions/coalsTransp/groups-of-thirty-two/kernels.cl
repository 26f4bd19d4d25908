__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[32][33];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t left = get_group_id(0) * 32, top = get_group_id(1) * 32;

    if (top + y < height && left + x < width)
        tile[y][x] = A[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (left + y < width && top + x < height)
        B[(left + y) * height + top + x] = tile[x][y];
}
