__kernel void coalsTransp(__global real* A, __global real* B, ulong height, ulong width)
{
    __local real tile[TILE][TILE + 1];
    ulong x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        tile[get_local_id(1)][get_local_id(0)] = A[y*width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1)*TILE + get_local_id(0);
    y = get_group_id(0)*TILE + get_local_id(1);
    if (x < height && y < width)
        B[y*height + x] = tile[get_local_id(0)][get_local_id(1)];
}
