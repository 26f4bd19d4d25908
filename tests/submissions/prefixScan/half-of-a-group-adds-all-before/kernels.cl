// Right results without steps. Half of the work-items of a group have eight elements each, and add up all sums before
// their own. So no work-item of theirs counts as idle. In scanSums, each work-item adds up all totals before its own.
#define HALF (WG / 2)

__kernel void scanBlocks(__global const uint *x, __global uint *before, __global uint *totals, uint n)
{
    __local uint sums[HALF];
    const uint lid = get_local_id(0), first = get_group_id(0) * TILE + 8 * lid;
    uint own[8], sum = 0;
    if (lid < HALF) {
        if (first + 8 <= n)
            vstore8(vload8(0, x + first), 0, own);
        else
            for (uint k = 0; k < 8; k++)
                own[k] = first + k < n ? x[first + k] : 0;
        for (uint k = 0; k < 8; k++)
            sum += own[k];
        sums[lid] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid >= HALF)
        return;

    uint start = 0;
    for (uint other = 0; other < HALF; other++) {
        const uint its = sums[other];
        start += other < lid ? its : 0;
    }
    if (lid == HALF - 1)
        totals[get_group_id(0)] = start + sum;
    for (uint k = 0; k < 8; k++) {
        const uint next = start + own[k];
        own[k] = start;
        start = next;
    }
    if (first + 8 <= n)
        vstore8(vload8(0, own), 0, before + first);
    else
        for (uint k = 0; first + k < n; k++)
            before[first + k] = own[k];
}

__kernel void scanSums(__global const uint *totals, __global uint *offsets, uint tiles)
{
    const uint each = (tiles + WG - 1) / WG, first = get_local_id(0) * each;
    uint sum = 0;
    for (uint i = 0; i < first && i < tiles; i++)
        sum += totals[i];
    for (uint i = first; i < first + each && i < tiles; i++) {
        offsets[i] = sum;
        sum += totals[i];
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
