__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    uint32_t lid = get_local_id(0);
    real sum = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        sum += A[i];
    scratch[lid] = sum;

    // all sums must be there before they are added
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t s = WG / 2; s > 0; s /= 2) {
        if (lid < s)
            scratch[lid] += scratch[lid + s];
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
