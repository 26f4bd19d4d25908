// The last work-item reads the total without a swap or a barrier, in the expression of a compare-and-swap loop.
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
    uint old;
    bool added = false;
    for (;;) {
        old = *total;
        if (added)
            break;
        if (atomic_cmpxchg(total, old, as_uint(as_float(old) + x)) == old) {
            if (lid < WG - 1)
                break;
            added = true;
        }
    }
    if (lid == WG - 1)
        sums[get_group_id(0)] = as_float(old);
}
