// Each work-item adds to the sum by two atomic functions, and loses the sums
// that others add between them. The last one reads the sum without a barrier.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);
    volatile __local uint *total = (volatile __local uint *)scratch;
    real x = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        x += A[i];
    if (lid == 0)
        *total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const real before = as_float(atomic_or(total, 0u));
    atomic_xchg(total, as_uint(before + x));
    if (lid == WG - 1)
        sums[get_group_id(0)] = as_float(atomic_or(total, 0u));
}
