// Each work-item makes the same number of steps; words past the end count 0 times.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0), all = get_global_size(0);
    const uint32_t steps = (n + all - 1) / all;
    real own = 0;
    for (uint32_t s = 0; s < steps; s++) {
        const uint32_t i = s * all + get_global_id(0);
        own += A[i] * (i < n);
    }
    scratch[lid] = own;
    for (uint32_t s = WG / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < s)
            scratch[lid] += scratch[lid + s];
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
