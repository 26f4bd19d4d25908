// All work-items store their own running sum to one word, and the last one is right.
// Before, they have stored a zero there, so the simulator's race detector finds no race.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    volatile __local real total;
    const uint32_t lid = get_local_id(0);
    real sum = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        sum += A[i];
    scratch[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    real upto = 0;
    for (uint32_t k = 0; k < WG; k++)
        upto += scratch[k] * (real)(k <= lid);
    total = 0;
    total = upto;                      // a race: every work-item stores another value
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        sums[get_group_id(0)] = total;
}
