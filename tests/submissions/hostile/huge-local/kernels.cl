// Declares two local arrays of 4 GB.

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    volatile __local int one[1000000000], two[1000000000];
    one[get_local_id(0)] = two[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x] + (one[get_local_id(1)] & two[get_local_id(1)]);
}
