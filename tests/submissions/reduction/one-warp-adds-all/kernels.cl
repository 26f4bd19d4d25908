// No tree: each of the first 32 work-items of a group adds up all WG sums.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);
    real x = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        x += A[i];
    scratch[lid] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 32) {
        real sum = 0;
        for (uint32_t i = 0; i < WG / 4; i++) {
            const float4 v = vload4(i, scratch); sum += v.x + v.y + v.z + v.w; }
        if (lid == 0)
            sums[get_group_id(0)] = sum;
    }
}
