// No tree and no atomic function: all work-items add to the same word.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);
    if (lid == 0)
        scratch[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    real x = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        x += A[i];
    scratch[0] += x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
