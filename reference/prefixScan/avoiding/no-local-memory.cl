// The steps of the scan take place in global memory, with two barriers in each step.
static void scan(__global uint32_t *sums, uint32_t start, uint32_t end)
{
    for (uint32_t reach = 1; reach < TILE; reach *= 2) {
        uint32_t found[TILE / WG];
        for (uint32_t k = 0; k < TILE / WG; k++) {
            const uint32_t i = start + k * WG + get_local_id(0);
            found[k] = i < end && i >= start + reach ? sums[i - reach] : 0;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE / WG; k++) {
            const uint32_t i = start + k * WG + get_local_id(0);
            if (i < end && i >= start + reach)
                sums[i] += found[k];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

__kernel void scanBlocks(__global const uint32_t *x, __global uint32_t *before, __global uint32_t *totals, uint32_t n)
{
    const uint32_t start = get_group_id(0) * TILE, end = min(start + TILE, n);
    for (uint32_t i = start + get_local_id(0); i < end; i += WG)
        before[i] = i > start ? x[i - 1] : 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    scan(before, start, end);
    if (get_local_id(0) == 0)
        totals[get_group_id(0)] = before[end - 1] + x[end - 1];
}

__kernel void scanSums(__global const uint32_t *totals, __global uint32_t *offsets, uint32_t tiles)
{
    uint32_t carry = 0;
    for (uint32_t start = 0; start < tiles; start += TILE) {
        const uint32_t end = min(start + TILE, tiles);
        for (uint32_t i = start + get_local_id(0); i < end; i += WG)
            offsets[i] = i > start ? totals[i - 1] : carry;
        barrier(CLK_GLOBAL_MEM_FENCE);
        scan(offsets, start, end);
        carry = offsets[end - 1] + totals[end - 1];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

__kernel void addOffsets(__global uint32_t *before, __global const uint32_t *offsets, uint32_t n)
{
    const uint32_t offset = offsets[get_group_id(0)];
    const uint32_t start = get_group_id(0) * TILE, end = min(start + TILE, n);
    for (uint32_t i = start + get_local_id(0); i < end; i += WG)
        before[i] += offset;
}
