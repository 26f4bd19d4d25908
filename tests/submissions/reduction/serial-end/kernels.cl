#define STEP get_global_size(0)

__kernel void reduceSum(__global const real *A, __global real *sums,
                        uint32_t n, __local real *scratch)
{
    uint32_t me = get_local_id(0);
    scratch[me] = 0;
    for (uint32_t i = get_global_id(0); i < n; i += STEP)
        scratch[me] += A[i];

    barrier(CLK_LOCAL_MEM_FENCE);
    if (me > 0)
        return;

    // only the first work-item is left: no tree, no more barriers
    real all = 0;
    for (uint32_t i = 0; i < WG; i++)
        all += scratch[i];
    sums[get_group_id(0)] = all;
}
