// Two work-items of a warp count in the same word in 104 compare-and-swap loops. The plain reads in these loops are
// harmless races. After them, one work-item reads a word past the end of A.
#define WORDS 31
#define STEP while (mine && atomic_cmpxchg(count, old, old + 1) != old) old = *count; old = 9; count += WORDS;
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP

volatile __local uint *one(volatile __local uint *count, uint old, bool mine)
{
    STEPS STEPS STEPS
    return count;
}

volatile __local uint *two(volatile __local uint *count, uint old, bool mine)
{
    STEPS STEPS STEPS
    return count;
}

volatile __local uint *three(volatile __local uint *count, uint old, bool mine)
{
    STEPS STEPS STEPS
    return count;
}

volatile __local uint *four(volatile __local uint *count, uint old, bool mine)
{
    STEPS STEPS STEPS STEPS
    return count;
}

__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    __local uint words[104 * WORDS];
    const uint32_t lid = get_local_id(0);
    volatile __local uint *count = words + lid % WORDS;
    const bool mine = get_global_id(0) < 32;
    real part = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        part += A[i];
    scratch[lid] = part;
    for (uint32_t i = lid; i < 104 * WORDS; i += WG)
        words[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    count = one(count, 9, mine);
    count = two(count, 9, mine);
    count = three(count, 9, mine);
    count = four(count, 9, mine);

    for (uint32_t step = WG / 2; step > 0; step /= 2) {
        if (lid < step)
            scratch[lid] += scratch[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_global_id(0) == 0)
        part = A[n];
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
