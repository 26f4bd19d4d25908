// Compare-and-swap makes the sum of the group. All work-items also read a flag that others store without a barrier
// between. The name of the flag looks like the instruction of a compare-and-swap.
#define EIGHT 8

struct flags {
    uint cmpxchg;
};

void add_to(volatile __local real *sum, const real part)
{
    union { uint bits; real value; } before, after;
    do {
        before.value = *sum;
        after.value = before.value + part;
    } while (atomic_cmpxchg((volatile __local uint *)sum, before.bits, after.bits) != before.bits);
}

void mark(__local struct flags *flags, volatile __local uint *other)
{
    const uint seen = *(volatile __local uint *)flags;
    flags->cmpxchg = 1 | atomic_cmpxchg(other, seen, seen);
}

__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    __local real whole;
    __local struct flags flags;
    __local uint other;
    const uint32_t lid = get_local_id(0);
    real mine = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        mine += A[i];
    scratch[lid] = mine;
    if (lid == 0)
        whole = flags.cmpxchg = other = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid < WG / EIGHT) {
        real part = 0;
        for (uint32_t k = 0; k < EIGHT; k++)
            part += scratch[lid + k * (WG / EIGHT)];
        add_to(&whole, part);
        mark(&flags, &other);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        sums[get_group_id(0)] = whole;
}
