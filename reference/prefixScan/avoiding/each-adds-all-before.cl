// Each work-item adds up the sums of all work-items before it: WG/2 steps on average, and no barrier between them.
static uint32_t scanned(uint32_t own, uint32_t *all, __local uint32_t *sums)
{
    const uint32_t lid = get_local_id(0);
    sums[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint32_t before = 0, total = 0;
    for (uint32_t other = 0; other < WG; other++) {
        before += other < lid ? sums[other] : 0;
        total += sums[other];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *all = total;
    return before;
}

__kernel void scanBlocks(__global const uint32_t *x, __global uint32_t *before, __global uint32_t *totals, uint32_t n)
{
    __local uint32_t sums[WG];
    const uint32_t first = get_group_id(0) * TILE + 4 * get_local_id(0);
    uint32_t own[4], sum = 0, total;
    for (uint32_t k = 0; k < 4; k++) {
        own[k] = first + k < n ? x[first + k] : 0;
        sum += own[k];
    }
    sum = scanned(sum, &total, sums);
    for (uint32_t k = 0; k < 4; k++) {
        if (first + k < n)
            before[first + k] = sum;
        sum += own[k];
    }
    if (get_local_id(0) == 0)
        totals[get_group_id(0)] = total;
}

__kernel void scanSums(__global const uint32_t *totals, __global uint32_t *offsets, uint32_t tiles)
{
    __local uint32_t sums[WG];
    uint32_t carry = 0;
    for (uint32_t start = 0; start < tiles; start += WG) {
        const uint32_t i = start + get_local_id(0);
        uint32_t total;
        const uint32_t sum = scanned(i < tiles ? totals[i] : 0, &total, sums);
        if (i < tiles)
            offsets[i] = carry + sum;
        carry += total;
    }
}

__kernel void addOffsets(__global uint32_t *before, __global const uint32_t *offsets, uint32_t n)
{
    const uint32_t offset = offsets[get_group_id(0)];
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t i = get_group_id(0) * TILE + k * WG + get_local_id(0);
        if (i < n)
            before[i] += offset;
    }
}
