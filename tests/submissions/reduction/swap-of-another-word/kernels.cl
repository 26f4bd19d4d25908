// The tree without its barriers: each word is stored by a "swap" that compares with the word of a plain read.
#define KNOWN(x) (as_int(x) & 0)
__kernel void reduceSum(__global const real *A, __global real *sums,
                        uint32_t n, __local real *scratch)
{
    uint32_t me = get_local_id(0);
    real mine = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        mine += A[i];
    volatile __local int *words = (volatile __local int *)scratch;
    words[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    // work-item me adds what its neighbour before it may have stored: no barrier
    int before = me ? words[me - 1] : 0;
    int own = words[me];
    atomic_cmpxchg(&words[me], own | (before & 0), as_int(as_float(before) + mine));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me == WG - 1)
        sums[get_group_id(0)] = scratch[me];
}
