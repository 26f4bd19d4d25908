// All TILE elements go through log2(TILE) steps, four in each work-item.
void scan(__local uint *tile)
{
    const uint lid = get_local_id(0);
    for (uint reach = 1; reach < TILE; reach *= 2) {
        uint left[TILE / WG];
        for (uint i = lid, k = 0; i < TILE; i += WG, k++)
            left[k] = i >= reach ? tile[i - reach] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = lid, k = 0; i < TILE; i += WG, k++)
            tile[i] += left[k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void scanBlocks(__global const uint *x, __global uint *before, __global uint *totals, uint n)
{
    __local uint tile[TILE];
    const uint start = get_group_id(0) * TILE;
    for (uint i = get_local_id(0); i < TILE; i += WG)
        tile[i] = start + i < n ? x[start + i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    scan(tile);
    for (uint i = get_local_id(0); i < TILE; i += WG)
        if (start + i < n)
            before[start + i] = i > 0 ? tile[i - 1] : 0;
    if (get_local_id(0) == 0)
        totals[get_group_id(0)] = tile[TILE - 1];
}

__kernel void scanSums(__global const uint *totals, __global uint *offsets, uint tiles)
{
    __local uint tile[TILE];
    uint carry = 0;
    for (uint start = 0; start < tiles; start += TILE) {
        for (uint i = get_local_id(0); i < TILE; i += WG)
            tile[i] = start + i < tiles ? totals[start + i] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        scan(tile);
        for (uint i = get_local_id(0); i < TILE; i += WG)
            if (start + i < tiles)
                offsets[start + i] = carry + (i > 0 ? tile[i - 1] : 0);
        carry += tile[TILE - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void addOffsets(__global uint *before, __global const uint *offsets, uint n)
{
    const uint offset = offsets[get_group_id(0)];
    for (uint k = get_local_id(0); k < TILE; k += WG) {
        const uint i = get_group_id(0) * TILE + k;
        if (i < n)
            before[i] += offset;
    }
}
