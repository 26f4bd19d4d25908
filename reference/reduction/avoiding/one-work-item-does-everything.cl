// One work-item adds all of A.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    if (get_local_id(0) > 0)
        return;

    real sum = 0;
    for (uint32_t i = 0; get_group_id(0) == 0 && i < n; i++)
        sum += A[i];
    sums[get_group_id(0)] = sum;
}
