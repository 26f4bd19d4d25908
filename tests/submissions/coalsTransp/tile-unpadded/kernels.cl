// The extra column from the slides is never used, so I left it out to save local memory.
__kernel void coalsTransp(__global real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE];
    uint32_t tx = get_local_id(0), ty = get_local_id(1);
    uint32_t c0 = TILE * get_group_id(0), r0 = TILE * get_group_id(1);

    tile[ty][tx] = 0;
    if (r0 + ty < height && c0 + tx < width)
        tile[ty][tx] = A[(r0 + ty) * width + c0 + tx];
    barrier(CLK_LOCAL_MEM_FENCE);

    if (c0 + ty < width && r0 + tx < height)
        B[(c0 + ty) * height + r0 + tx] = tile[tx][ty];
}
