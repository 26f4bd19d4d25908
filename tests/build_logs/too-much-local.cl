__kernel void k(__global const float *A, __global float *B, uint width)
{
    __local float tile[128][128];
    uint x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = A[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    B[y * width + x] = tile[x][y];
}
