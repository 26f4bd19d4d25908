// Each work-item adds its sum to the sum of the group by the usual loop. A pointer returns the old word.
void get(volatile __local float *p, float *out)
{
    *out = *p;
}

void add(volatile __local float *p, float v)
{
    float old;
    uint seen;
    do {
        get(p, &old);
        seen = as_uint(old);
    } while (atomic_cmpxchg((volatile __local uint *)p, seen, as_uint(old + v)) != seen);
}

__kernel void reduceSum(__global const real *A, __global real *sums,
                        uint32_t n, __local real *scratch)
{
    uint32_t me = get_local_id(0);
    real mine = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        mine += A[i];
    if (me == 0)
        scratch[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    add(scratch, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me == 0)
        sums[get_group_id(0)] = scratch[0];
}
