// Model solution: each work-group adds up its share of A.
//
// Most of the work needs no communication. Each work-item adds words a whole grid apart, so neighbours read
// neighbouring words, and keeps its sum in a register. Then a group has WG sums, and a tree in local memory adds them.
// In each step the lower half of the remaining work-items adds the sums of the upper half. The work-items that add are
// neighbours, and so are their words. So whole warps become idle together, and each word of a warp is in a different
// bank.
//
// Four independent reads are under way at a time, and their sum takes two steps, not four.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    const uint32_t lid = get_local_id(0);
    const uint32_t grid = get_global_size(0);

    real sum = 0;
    uint32_t i = get_global_id(0);
    for (; i + 3 * grid < n; i += 4 * grid)
        sum += (A[i] + A[i + grid]) + (A[i + 2 * grid] + A[i + 3 * grid]);
    for (; i < n; i += grid)
        sum += A[i];
    scratch[lid] = sum;

    for (uint32_t width = WG / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);    // the step before is complete; all work-items reach it, also idle ones
        if (lid < width)
            scratch[lid] += scratch[lid + width];
    }

    if (lid == 0)    // it added the last two words itself
        sums[get_group_id(0)] = scratch[0];
}
