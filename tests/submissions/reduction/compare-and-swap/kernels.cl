// Instead of a tree, an eighth of the work-items add eight words each, and then add this to the sum of the group
// in a compare-and-swap loop, because OpenCL C has no atomic addition of floats.
#define EIGHT 8

void add_to(volatile __local real *sum, const real part)
{
    union { uint bits; real value; } before, after;
    do {
        before.value = *sum;
        after.value = before.value + part;
    } while (atomic_cmpxchg((volatile __local uint *)sum, before.bits, after.bits) != before.bits);
}

__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    __local real whole;
    const uint32_t lid = get_local_id(0);
    real mine = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        mine += A[i];
    scratch[lid] = mine;
    if (lid == 0)
        whole = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid < WG / EIGHT) {
        real part = 0;
        for (uint32_t k = 0; k < EIGHT; k++)
            part += scratch[lid + k * (WG / EIGHT)];
        add_to(&whole, part);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        sums[get_group_id(0)] = whole;
}
