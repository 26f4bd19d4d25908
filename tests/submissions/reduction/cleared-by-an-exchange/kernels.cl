__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    __local uint total;
    const uint32_t lid = get_local_id(0);
    real mine = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        mine += A[i];
    if (lid == 0)
        atomic_xchg(&total, 0u);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint old, seen = atomic_or(&total, 0u);
    do {
        old = seen;
        seen = atomic_cmpxchg(&total, old, as_uint(as_float(old) + mine));
    } while (seen != old);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        sums[get_group_id(0)] = as_float(total);
}
