__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local uint left;
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (get_local_id(0) == 0 && get_local_id(1) == 0)
        left = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (1) {
        const uint now = left;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (now == 0)
            break;
        if (get_local_id(0) == 0 && get_local_id(1) == 0)
            left = now - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
}
