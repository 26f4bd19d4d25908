__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t me = get_local_id(0);
    real mine = 0;
    for (uint32_t k = get_global_id(0); k < n; k += get_global_size(0))
        mine = A[k];
    scratch[me] = mine;
    for (uint32_t width = WG / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < width)
            scratch[me] += scratch[me + width];
    }
    if (me == 0)
        sums[get_group_id(0)] = scratch[0];
}
