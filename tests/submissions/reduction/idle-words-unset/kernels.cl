__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0), gid = get_global_id(0), all = get_global_size(0);
    if (gid < n)
        scratch[lid] = A[gid];
    for (uint32_t i = gid + all; i < n; i += all)
        scratch[lid] += A[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t s = WG / 2; s > 0; s /= 2) {
        if (lid < s)
            scratch[lid] += scratch[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
