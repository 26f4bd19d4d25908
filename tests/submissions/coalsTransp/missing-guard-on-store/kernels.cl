__kernel void coalsTransp(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    __local real buf[TILE][TILE+1];
    uint32_t tx = get_local_id(0), ty = get_local_id(1);

    uint32_t inRow = get_group_id(1)*TILE + ty;
    uint32_t inCol = get_group_id(0)*TILE + tx;
    buf[ty][tx] = 0;
    if (inRow < height && inCol < width)
        buf[ty][tx] = A[inRow*width + inCol];

    barrier(CLK_LOCAL_MEM_FENCE);

    uint32_t outRow = get_group_id(0)*TILE + ty;
    uint32_t outCol = get_group_id(1)*TILE + tx;
    if (outRow < width)
        B[outRow*height + outCol] = buf[tx][ty];
}
