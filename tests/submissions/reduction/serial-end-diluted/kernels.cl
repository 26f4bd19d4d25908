#define STEP get_global_size(0)

__kernel void reduceSum(__global const real *A, __global real *sums,
                        uint32_t n, __local real *scratch)
{
    uint32_t me = get_local_id(0);
    real mine = 0;
    for (uint32_t i = get_global_id(0); i < n; i += STEP)
        mine += A[i];

    // all of them take part: they store the same word again and again
    for (uint32_t i = 0; i < 4 * WG; i++)
        scratch[me] = mine;

    barrier(CLK_LOCAL_MEM_FENCE);
    if (me > 0)
        return;

    real all = 0;
    for (uint32_t i = 0; i < WG; i++)
        all += scratch[i];
    sums[get_group_id(0)] = all;
}
