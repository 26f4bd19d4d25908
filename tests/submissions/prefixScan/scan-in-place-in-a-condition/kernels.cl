// The tile goes through local memory, so that all accesses to global memory are coalesced. A work-item has four words
// of it in a row, one more word apart than they need to be.
kernel void scanBlocks(global const uint *x, global uint *before, global uint *totals, uint n)
{
    local uint tile[WG * 5], sums[WG];
    const uint lid = get_local_id(0), start = get_group_id(0) * TILE;
    for (uint i = lid; i < TILE; i += WG)
        tile[i / 4 * 5 + i % 4] = start + i < n ? x[start + i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint sum = 0;
    for (uint k = 0; k < 4; k++)
        sum += tile[lid * 5 + k];
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 1; reach < WG; reach <<= 1) {
        if (lid >= reach) {
            const uint left = sums[lid - reach];
            sums[lid] += left;
        }
    }

    uint running = lid ? sums[lid - 1] : 0;
    for (uint k = 0; k < 4; k++) {
        const uint own = tile[lid * 5 + k];
        tile[lid * 5 + k] = running;
        running += own;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i < TILE && start + i < n; i += WG)
        before[start + i] = tile[i / 4 * 5 + i % 4];
    if (lid == WG - 1)
        totals[get_group_id(0)] = running;
}

kernel void scanSums(global const uint *totals, global uint *offsets, uint tiles)
{
    local uint sums[WG];
    const uint lid = get_local_id(0);
    uint carry = 0;
    for (uint start = 0; start < tiles; start += WG) {
        sums[lid] = start + lid < tiles ? totals[start + lid] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint reach = 1; reach < WG; reach <<= 1) {
            const uint left = lid >= reach ? sums[lid - reach] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sums[lid] += left;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (start + lid < tiles)
            offsets[start + lid] = carry + (lid ? sums[lid - 1] : 0);
        carry += sums[WG - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void addOffsets(global uint *before, global const uint *offsets, uint n)
{
    const uint offset = offsets[get_group_id(0)];
    const uint end = min((uint)(get_group_id(0) + 1) * TILE, n);
    for (uint i = get_group_id(0) * TILE + get_local_id(0); i < end; i += WG)
        before[i] += offset;
}
