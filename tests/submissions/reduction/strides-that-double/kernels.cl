__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);

    real sum = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        sum += A[i];
    scratch[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    // the first work-items do the work, so that whole warps are idle
    for (uint32_t stride = 1; stride < WG; stride *= 2) {
        const uint32_t at = 2 * stride * lid;
        if (at < WG)
            scratch[at] += scratch[at + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
