// each work-group transposes its own tile
__kernel void coalsTransp(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const uint32_t x = get_global_id(0);
    const uint32_t y = get_global_id(1);

    if (y < height && x < width)
        tile[ty][tx] = A[y * width + x];

    barrier(CLK_LOCAL_MEM_FENCE);

    // B has width rows and height columns
    if (y < width && x < height)
        B[y * height + x] = tile[tx][ty];
}
