// Right results without steps. Half of the work-items of a group have eight elements each, and add up all counts before
// their own. So no work-item of theirs counts as idle. In scanCounts, each work-item adds up all counts before its own.
#define HALF (WG / 2)

__kernel void countBlocks(__global const int *x, __global uint *counts, uint n, int pivot)
{
    __local uint count;
    const uint lid = get_local_id(0);
    if (lid == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint own = 0;
    for (uint k = lid; k < TILE; k += WG) {
        const uint i = get_group_id(0) * TILE + k;
        if (i < n && x[i] < pivot)
            own++;
    }
    atomic_add(&count, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        counts[get_group_id(0)] = count;
}

__kernel void scanCounts(__global const uint *counts, __global uint *starts, uint tiles)
{
    const uint each = (tiles + WG - 1) / WG, first = get_local_id(0) * each;
    if (first >= tiles)
        return;
    uint sum = 0;
    for (uint i = 0; i < first; i++)
        sum += counts[i];
    for (uint i = first; i < first + each && i < tiles; i++) {
        starts[i] = sum;
        sum += counts[i];
        if (i == tiles - 1)
            starts[tiles] = sum;
    }
}

__kernel void scatter(__global const int *x, __global const uint *starts, __global int *result, uint n, int pivot)
{
    __local uint sums[HALF];
    __local int tile[TILE];
    const uint lid = get_local_id(0), start = get_group_id(0) * TILE;
    int own[8];
    uint count = 0;
    if (lid < HALF) {
        if (start + 8 * (lid + 1) <= n)
            vstore8(vload8(0, x + start + 8 * lid), 0, own);
        else
            for (uint k = 0; k < 8; k++)
                own[k] = start + 8 * lid + k < n ? x[start + 8 * lid + k] : pivot;
        for (uint k = 0; k < 8; k++)
            count += own[k] < pivot;
        sums[lid] = count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < HALF) {
        uint low = 0, lows = 0;
        for (uint other = 0; other < HALF; other++) {
            const uint its = sums[other];
            low += other < lid ? its : 0;
            lows += its;
        }
        for (uint k = 0; k < 8; k++) {
            tile[own[k] < pivot ? low : lows + 8 * lid + k - low] = own[k];
            low += own[k] < pivot;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < HALF)
        return;
    const uint before = starts[get_group_id(0)], lows = starts[get_group_id(0) + 1] - before;
    const uint all_low = starts[get_num_groups(0)];
    for (uint k = lid - HALF; k < TILE; k += HALF)
        if (start + k < n)
            result[k < lows ? before + k : all_low + (start - before) + (k - lows)] = tile[k];
}
