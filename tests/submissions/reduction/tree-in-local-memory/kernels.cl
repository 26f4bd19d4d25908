// A tree by halves. Words are added in local memory directly, without a variable.
__kernel void reduceSum(__global const real *A, __global real *sums,
                        uint32_t n, __local real *scratch)
{
    uint32_t me = get_local_id(0);
    scratch[me] = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        scratch[me] += A[i];
    for (uint32_t rest = WG / 2; rest > 0; rest /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < rest)
            scratch[me] += scratch[me + rest];
    }
    if (me == 0)
        sums[get_group_id(0)] = scratch[0];
}
