__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    real mine = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        mine += A[i];

    const real all = work_group_reduce_add(mine);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = all;
}
