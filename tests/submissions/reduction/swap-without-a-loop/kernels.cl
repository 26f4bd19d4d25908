// All work-items add to one word. If two meet, an update is lost, because no loop tries again.
__kernel void reduceSum(__global const real *A, __global real *sums,
                        uint32_t n, __local real *scratch)
{
    uint32_t me = get_local_id(0);
    real mine = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        mine += A[i];
    volatile __local int *word = (volatile __local int *)scratch;
    if (me == 0)
        *word = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int before = *word;
    atomic_cmpxchg(word, before, as_int(as_float(before) + mine));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me == 0)
        sums[get_group_id(0)] = scratch[0];
}
