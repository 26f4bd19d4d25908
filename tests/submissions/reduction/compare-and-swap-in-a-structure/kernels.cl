// Each work-item adds its sum to the sum of the group by the usual loop. A structure returns the old word.
typedef struct {
    float before, after;
} Step;

Step step(volatile __local float *p, float v)
{
    Step s;
    s.before = *p;
    s.after = s.before + v;
    return s;
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
    for (;;) {
        Step s = step(scratch, mine);
        if (atomic_cmpxchg((volatile __local int *)scratch, as_int(s.before), as_int(s.after)) == as_int(s.before))
            break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me == 0)
        sums[get_group_id(0)] = scratch[0];
}
