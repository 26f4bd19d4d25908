int2 scan(int2 own, __local int *begun, __local int *value)
{
    const uint lid = get_local_id(0);
    begun[lid] = own.x;
    value[lid] = own.y;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 1; reach < WG; reach *= 2) {
        int2 left = (int2)(0, 0);
        if (lid >= reach)
            left = (int2)(begun[lid - reach], value[lid - reach]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (!begun[lid])
            value[lid] += left.y;
        begun[lid] |= left.x;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return lid > 0 ? (int2)(begun[lid - 1], value[lid - 1]) : (int2)(0, 0);
}

__kernel void scanBlocks(__global const int *x, __global const uchar *flags, __global int *sums, __global int *totals,
                         __global uint *firsts, uint n)
{
    __local int begun[WG], value[WG];
    __local uint first;
    const uint lid = get_local_id(0), start = get_group_id(0) * TILE + 4 * lid;
    if (lid == 0)
        first = TILE;

    int own[4] = {0, 0, 0, 0};
    uchar flag[4] = {0, 0, 0, 0};
    if (start + 3 < n) {
        vstore4(vload4(0, x + start), 0, own);
        vstore4(vload4(0, flags + start), 0, flag);
    } else
        for (int k = 0; start + k < n; k++) {
            own[k] = x[start + k];
            flag[k] = flags[start + k];
        }

    int2 pair = (int2)(0, 0);
    for (int k = 0; k < 4; k++)
        pair = flag[k] ? (int2)(1, own[k]) : (int2)(pair.x, pair.y + own[k]);
    const int2 before = scan(pair, begun, value);

    int sum = before.y;
    for (int k = 0; k < 4; k++) {
        sum = flag[k] ? own[k] : sum + own[k];
        own[k] = sum;
        if (flag[k])
            atomic_min(&first, 4 * lid + k);
    }
    if (start + 3 < n)
        vstore4(vload4(0, own), 0, sums + start);
    else
        for (int k = 0; start + k < n; k++)
            sums[start + k] = own[k];

    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == WG - 1) {
        totals[get_group_id(0)] = sum;
        firsts[get_group_id(0)] = first;
    }
}

__kernel void scanTotals(__global const int *totals, __global const uint *firsts, __global int *carries, uint tiles)
{
    __local int begun[WG], value[WG];
    int carry = 0;
    for (uint start = 0; start < tiles; start += WG) {
        const uint tile = start + get_local_id(0);
        int2 own = (int2)(0, 0);
        if (tile < tiles)
            own = (int2)(firsts[tile] < TILE, totals[tile]);
        const int2 before = scan(own, begun, value);
        if (tile < tiles)
            carries[tile] = before.x ? before.y : carry + before.y;
        carry = begun[WG - 1] ? value[WG - 1] : carry + value[WG - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void addCarries(__global int *sums, __global const uint *firsts, __global const int *carries, uint n)
{
    const uint tile = get_group_id(0);
    const uint first = firsts[tile];
    const int carry = carries[tile];
    for (uint k = get_local_id(0); k <= first && k < TILE; k += WG)
        if (tile * TILE + k < n)
            sums[tile * TILE + k] += carry;
}
