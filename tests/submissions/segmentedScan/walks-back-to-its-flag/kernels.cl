__kernel void scanBlocks(__global const int *x, __global const uchar *flags, __global int *sums, __global int *totals,
                         __global uint *firsts, uint n)
{
    __local uint first;
    const uint start = get_group_id(0) * TILE, end = min(start + TILE, n);
    if (get_local_id(0) == 0)
        first = TILE;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = start + get_local_id(0); i < end; i += WG) {
        uint j = i;
        int sum = x[i];
        while (j > start && !flags[j])
            sum += x[--j];
        sums[i] = sum;
        if (flags[i])
            atomic_min(&first, i - start);
        if (i == end - 1)
            totals[get_group_id(0)] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        firsts[get_group_id(0)] = first;
}

__kernel void scanTotals(__global const int *totals, __global const uint *firsts, __global int *carries, uint tiles)
{
    for (uint tile = get_local_id(0); tile < tiles; tile += WG) {
        uint before = tile;
        int carry = 0;
        while (before > 0) {
            carry += totals[--before];
            if (firsts[before] < TILE)
                break;
        }
        carries[tile] = carry;
    }
}

__kernel void addCarries(__global int *sums, __global const uint *firsts, __global const int *carries, uint n)
{
    const uint tile = get_group_id(0);
    const uint first = firsts[tile];
    const int carry = carries[tile];
    for (uint k = get_local_id(0); k < first; k += WG)
        if (tile * TILE + k < n)
            sums[tile * TILE + k] += carry;
}
