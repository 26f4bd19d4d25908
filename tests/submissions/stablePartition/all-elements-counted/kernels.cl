uint scan(uint own, __local uint *sums)
{
    const uint lid = get_local_id(0);
    sums[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 1; reach < WG; reach *= 2) {
        uint left = 0;
        if (lid >= reach)
            left = sums[lid - reach];
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sums[lid] - own;
}

__kernel void countBlocks(__global const int *x, __global uint *counts, uint n, int pivot)
{
    __local uint sums[WG];
    uint own = 0;
    for (uint k = get_local_id(0); k < TILE; k += WG) {
        const uint i = get_group_id(0) * TILE + k;
        if (i < n)
            own++;
    }
    sums[get_local_id(0)] = own;
    for (uint width = WG / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) < width)
            sums[get_local_id(0)] += sums[get_local_id(0) + width];
    }
    if (get_local_id(0) == 0)
        counts[get_group_id(0)] = sums[0];
}

__kernel void scanCounts(__global const uint *counts, __global uint *starts, uint tiles)
{
    __local uint sums[WG];
    uint carry = 0;
    for (uint start = 0; start < tiles; start += WG) {
        const uint t = start + get_local_id(0);
        const uint before = scan(t < tiles ? counts[t] : 0, sums);
        if (t < tiles)
            starts[t] = carry + before;
        carry += sums[WG - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0)
        starts[tiles] = carry;
}

__kernel void scatter(__global const int *x, __global const uint *starts, __global int *result, uint n, int pivot)
{
    __local uint sums[WG];
    __local int tile[TILE];
    const uint lid = get_local_id(0), start = get_group_id(0) * TILE;
    const uint before = starts[get_group_id(0)];
    const uint all_low = starts[get_num_groups(0)];

    int own[4] = {pivot, pivot, pivot, pivot};
    if (start + 4 * lid + 3 < n)
        vstore4(vload4(0, x + start + 4 * lid), 0, own);
    else
        for (uint k = 0; start + 4 * lid + k < n; k++)
            own[k] = x[start + 4 * lid + k];
    uint count = 0;
    for (int k = 0; k < 4; k++)
        count += own[k] < pivot;
    uint low = scan(count, sums);
    const uint lows = sums[WG - 1];
    for (uint k = 0; k < 4; k++) {
        const uint place = own[k] < pivot ? low : lows + 4 * lid + k - low;
        tile[place] = own[k];
        low += own[k] < pivot;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint end = min((uint)TILE, n - start);
    for (uint k = lid; k < lows; k += WG)
        result[before + k] = tile[k];
    for (uint k = lows + lid; k < end; k += WG)
        result[all_low + start - before + k - lows] = tile[k];
}
