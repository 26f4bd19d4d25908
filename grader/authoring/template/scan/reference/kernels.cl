// Model solution: a step reads from one half of an array and writes to the other, so it needs one barrier.
__kernel void @ASSIGNMENT@(__global const uint32_t *x, __global uint32_t *sum, __global uint32_t *totals, uint32_t n)
{
    __local uint32_t sums[2][TILE];
    const uint32_t lid = get_local_id(0), i = get_global_id(0);
    uint32_t from = 0;
    sums[0][lid] = i < n ? x[i] : 0;
    for (uint32_t reach = 1; reach < TILE; reach *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[1 - from][lid] = sums[from][lid] + (lid >= reach ? sums[from][lid - reach] : 0);
        from = 1 - from;
    }
    if (i < n)
        sum[i] = sums[from][lid];
    if (lid == TILE - 1)
        totals[get_group_id(0)] = sums[from][lid];
}

// The group shares the totals of the tiles before its own, and adds them up by a tree.
__kernel void @ASSIGNMENT@_offsets(__global uint32_t *sum, __global const uint32_t *totals, uint32_t n)
{
    __local uint32_t parts[TILE];
    const uint32_t lid = get_local_id(0), i = get_global_id(0);
    uint32_t own = 0;
    for (uint32_t tile = lid; tile < get_group_id(0); tile += TILE)
        own += totals[tile];
    parts[lid] = own;
    for (uint32_t rest = TILE / 2; rest > 0; rest /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < rest)
            parts[lid] += parts[lid + rest];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        sum[i] += parts[0];
}
