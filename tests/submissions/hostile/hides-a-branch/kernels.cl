// Half of every warp waits in each step of the tree. An attribute removes the debug locations of this branch.
__attribute__((nodebug)) __kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    int lid = get_local_id(0);
    real x = 0;
    for (uint32_t i = get_global_id(0); i < n; i += get_global_size(0))
        x += A[i];
    scratch[lid] = x;

    // neighbours first: 0 + 1, 2 + 3, ... then 0 + 2, 4 + 6, ...
    for (int s = 1; s < WG; s *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid % (2 * s) == 0)
            scratch[lid] += scratch[lid + s];
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
