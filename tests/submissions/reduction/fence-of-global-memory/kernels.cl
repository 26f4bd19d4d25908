// every barrier below is for global memory
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0), step = get_global_size(0);
    real sum = 0;
    for (uint32_t i = get_global_id(0); i < n; i += step)
        sum += A[i];
    scratch[lid] = sum;

    uint32_t width = WG;
    while (width > 1) {
        width >>= 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (lid < width)
            scratch[lid] += scratch[lid + width];
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
