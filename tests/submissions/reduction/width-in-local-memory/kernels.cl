typedef uint uint32_t;

__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    __local uint32_t width;
    const uint32_t lid = get_local_id(0);
    real sum = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        sum += A[i];
    scratch[lid] = sum;
    if (lid == 0)
        width = get_local_size(0) / 2;
    for (;;) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (width == 0)
            break;
        if (lid < width)
            scratch[lid] += scratch[lid + width];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0)
            width /= 2;
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
