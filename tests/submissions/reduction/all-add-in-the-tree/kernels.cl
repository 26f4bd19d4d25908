__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);
    real own = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        own += A[i];
    scratch[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t half_of_it = get_local_size(0) / 2; half_of_it > 0; half_of_it /= 2) {
        scratch[lid] += scratch[lid + half_of_it];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
