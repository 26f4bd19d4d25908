// Baseline: the first work-item of a group scans the whole tile, and adds the offset to it. One work-item scans the sums.
__kernel void naiveBlocks(__global const uint32_t *x, __global uint32_t *before, __global uint32_t *totals, uint32_t n)
{
    if (get_local_id(0) > 0)
        return;

    const uint32_t first = get_group_id(0) * TILE;
    uint32_t sum = 0;
    for (uint32_t i = first; i < first + TILE && i < n; i++) {
        before[i] = sum;
        sum += x[i];
    }
    totals[get_group_id(0)] = sum;
}

__kernel void naiveSums(__global const uint32_t *totals, __global uint32_t *offsets, uint32_t tiles)
{
    if (get_global_id(0) > 0)
        return;

    uint32_t sum = 0;
    for (uint32_t tile = 0; tile < tiles; tile++) {
        offsets[tile] = sum;
        sum += totals[tile];
    }
}

__kernel void naiveOffsets(__global uint32_t *before, __global const uint32_t *offsets, uint32_t n)
{
    if (get_local_id(0) > 0)
        return;

    const uint32_t first = get_group_id(0) * TILE;
    for (uint32_t i = first; i < first + TILE && i < n; i++)
        before[i] += offsets[get_group_id(0)];
}
