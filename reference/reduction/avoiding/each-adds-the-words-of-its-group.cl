// Every work-item adds all words of its group, and the first one stores the sum. There is no tree, and no local memory.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t share = (n + get_num_groups(0) - 1) / get_num_groups(0);
    const uint32_t first = get_group_id(0) * share, end = min(first + share, n);

    real sum = 0;
    for (uint32_t i = first; i < end; i++)
        sum += A[i];
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = sum;
}
