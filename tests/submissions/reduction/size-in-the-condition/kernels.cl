// A tree of neighbours. The condition of its loop calls get_local_size.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);
    real own = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        own += A[i];
    scratch[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t s = 1; s < get_local_size(0); s *= 2) {
        if (lid % (2 * s) == 0)
            scratch[lid] += scratch[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
