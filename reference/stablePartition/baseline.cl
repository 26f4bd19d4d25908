// Baseline: the first work-item of a group counts and moves all elements of the tile. One work-item scans the counts.
__kernel void naiveCount(__global const int *x, __global uint32_t *counts, uint32_t n, int pivot)
{
    if (get_local_id(0) > 0)
        return;

    const uint32_t start = get_group_id(0) * TILE;
    uint32_t count = 0;
    for (uint32_t i = start; i < start + TILE && i < n; i++)
        if (x[i] < pivot)
            count++;
    counts[get_group_id(0)] = count;
}

__kernel void naiveScan(__global const uint32_t *counts, __global uint32_t *starts, uint32_t tiles)
{
    if (get_global_id(0) > 0)
        return;

    uint32_t sum = 0;
    for (uint32_t tile = 0; tile < tiles; tile++) {
        starts[tile] = sum;
        sum += counts[tile];
    }
    starts[tiles] = sum;
}

__kernel void naiveScatter(__global const int *x, __global const uint32_t *starts, __global int *result, uint32_t n,
                           int pivot)
{
    if (get_local_id(0) > 0)
        return;

    const uint32_t start = get_group_id(0) * TILE;
    uint32_t low = starts[get_group_id(0)];
    uint32_t other = starts[get_num_groups(0)] + start - low;
    for (uint32_t i = start; i < start + TILE && i < n; i++)
        result[x[i] < pivot ? low++ : other++] = x[i];
}
