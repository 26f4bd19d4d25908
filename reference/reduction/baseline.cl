// Baseline: each work-item adds up a contiguous piece of A, so neighbours read words far apart. Then one work-item of
// the group adds up all sums.
__kernel void naiveSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);
    const uint32_t share = (n + get_global_size(0) - 1) / get_global_size(0);
    const uint32_t first = get_global_id(0) * share;

    real sum = 0;
    for (uint32_t i = first; i < first + share && i < n; i++)
        sum += A[i];
    scratch[lid] = sum;

    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid == 0) {
        for (uint32_t other = 1; other < WG; other++)
            sum += scratch[other];
        sums[get_group_id(0)] = sum;
    }
}
