// one work-item for each element
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    uint32_t gid = get_global_id(0);
    uint32_t lid = get_local_id(0);

    scratch[lid] = gid < n ? A[gid] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint32_t s = WG / 2; s >= 1; s >>= 1) {
        if (lid < s)
            scratch[lid] += scratch[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
