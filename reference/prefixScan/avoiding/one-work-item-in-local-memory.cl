// The tile is loaded into local memory, where one work-item scans it. Each element is read twice, but nothing is shared.
__kernel void scanBlocks(__global const uint32_t *x, __global uint32_t *before, __global uint32_t *totals, uint32_t n)
{
    __local uint32_t tile[TILE];
    const uint32_t start = get_group_id(0) * TILE, lid = get_local_id(0);
    for (uint32_t i = lid; i < TILE; i += WG)
        tile[i] = start + i < n ? x[start + i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < TILE; i++) {
            const uint32_t own = tile[i];
            tile[i] = sum;
            sum += own;
        }
        totals[get_group_id(0)] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t i = lid; i < TILE && start + i < n; i += WG)
        before[start + i] = tile[i];
}

__kernel void scanSums(__global const uint32_t *totals, __global uint32_t *offsets, uint32_t tiles)
{
    if (get_local_id(0) > 0)
        return;
    uint32_t sum = 0;
    for (uint32_t tile = 0; tile < tiles; tile++) {
        offsets[tile] = sum;
        sum += totals[tile];
    }
}

__kernel void addOffsets(__global uint32_t *before, __global const uint32_t *offsets, uint32_t n)
{
    const uint32_t start = get_group_id(0) * TILE, offset = offsets[get_group_id(0)];
    for (uint32_t i = get_local_id(0); i < TILE && start + i < n; i += WG)
        before[start + i] += offset;
}
