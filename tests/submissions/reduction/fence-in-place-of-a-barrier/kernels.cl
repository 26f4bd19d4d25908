__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);
    real sum = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        sum += A[i];
    scratch[lid] = sum;

    // a fence is cheaper than a barrier
    for (uint32_t width = WG / 2; width > 0; width /= 2) {
        mem_fence(CLK_LOCAL_MEM_FENCE);
        if (lid < width)
            scratch[lid] += scratch[lid + width];
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
