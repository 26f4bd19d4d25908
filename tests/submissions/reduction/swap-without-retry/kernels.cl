// A compare-and-swap that is not repeated if it fails.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);
    volatile __local uint *total = (volatile __local uint *)scratch;
    real x = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        x += A[i];
    if (lid == 0)
        total[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint before = atomic_or(total, 0u);
    atomic_cmpxchg(total, before, as_uint(as_float(before) + x));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        sums[get_group_id(0)] = as_float(total[0]);
}
