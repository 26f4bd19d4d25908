uint scan(uint own, __local uint *sums)
{
    const uint lid = get_local_id(0);
    sums[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 1; reach < WG; reach *= 2) {
        uint left = 0;
        if (lid >= reach)
            left = sums[lid - reach];
        sums[lid] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sums[lid] - own;
}

__kernel void scanBlocks(__global const uint *x, __global uint *before, __global uint *totals, uint n)
{
    __local uint sums[WG];
    const uint first = get_group_id(0) * TILE + 4 * get_local_id(0);
    uint own[4] = {0, 0, 0, 0};
    if (first + 3 < n)
        vstore4(vload4(0, x + first), 0, own);
    else
        for (int k = 0; first + k < n; k++)
            own[k] = x[first + k];
    uint sum = scan(own[0] + own[1] + own[2] + own[3], sums);
    for (int k = 0; k < 4; k++) {
        const uint next = sum + own[k];
        own[k] = sum;
        sum = next;
    }
    if (first + 3 < n)
        vstore4(vload4(0, own), 0, before + first);
    else
        for (int k = 0; first + k < n; k++)
            before[first + k] = own[k];
    if (get_local_id(0) == WG - 1)
        totals[get_group_id(0)] = sum;
}

__kernel void scanSums(__global const uint *totals, __global uint *offsets, uint tiles)
{
    __local uint sums[WG];
    uint carry = 0;
    for (uint start = 0; start < tiles; start += WG) {
        const uint t = start + get_local_id(0);
        const uint own = t < tiles ? totals[t] : 0;
        const uint sum = scan(own, sums);
        if (t < tiles)
            offsets[t] = carry + sum;
        carry += sums[WG - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
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
