// Only one warp of the group works, and each of its work-items adds all 32 sums.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);
    real sum = 0;
    if (lid < 32)
        for (uint32_t i = get_group_id(0) * 32 + lid; i < n; i += get_num_groups(0) * 32)
            sum += A[i];
    if (lid < 32)
        scratch[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 32) {
        sum = 0;
        for (uint32_t i = 0; i < 32; i++)
            sum += scratch[i];
    }
    if (lid == 0)
        sums[get_group_id(0)] = sum;
}
