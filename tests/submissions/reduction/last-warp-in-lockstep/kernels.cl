__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local volatile real *scratch)
{
    const uint32_t lid = get_local_id(0);
    real sum = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        sum += A[i];
    scratch[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint32_t width = WG / 2; width > 2; width /= 2) {
        if (lid < width)
            scratch[lid] += scratch[lid + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // a warp needs no barriers
    if (lid < 2) {
        scratch[lid] += scratch[lid + 2];
        scratch[lid] += scratch[lid + 1];
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
