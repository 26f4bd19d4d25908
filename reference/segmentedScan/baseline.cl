// Baseline: the first work-item of a group scans the whole tile, and adds the carry. One work-item scans the totals.
__kernel void naiveBlocks(__global const int *x, __global const uchar *flags, __global int *sums, __global int *totals,
                          __global uint32_t *firsts, uint32_t n)
{
    if (get_local_id(0) > 0)
        return;

    const uint32_t start = get_group_id(0) * TILE;
    uint32_t first = TILE;
    int sum = 0;
    for (uint32_t i = start; i < start + TILE && i < n; i++) {
        if (flags[i]) {
            sum = 0;
            first = min(first, i - start);
        }
        sum += x[i];
        sums[i] = sum;
    }
    totals[get_group_id(0)] = sum;
    firsts[get_group_id(0)] = first;
}

__kernel void naiveTotals(__global const int *totals, __global const uint32_t *firsts, __global int *carries,
                          uint32_t tiles)
{
    if (get_global_id(0) > 0)
        return;

    int carry = 0;
    for (uint32_t tile = 0; tile < tiles; tile++) {
        carries[tile] = carry;
        carry = totals[tile] + (firsts[tile] < TILE ? 0 : carry);
    }
}

__kernel void naiveCarries(__global int *sums, __global const uint32_t *firsts, __global const int *carries, uint32_t n)
{
    if (get_local_id(0) > 0)
        return;

    const uint32_t start = get_group_id(0) * TILE, tile = get_group_id(0);
    for (uint32_t i = start; i < start + firsts[tile] && i < n; i++)
        sums[i] += carries[tile];
}
