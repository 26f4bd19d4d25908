__kernel void scanBlocks(__global const int *x, __global const uchar *flags, __global int *sums, __global int *totals,
                         __global uint *firsts, uint n)
{
    const uint start = get_group_id(0) * TILE;
    for (uint i = start + get_local_id(0); i < start + TILE && i < n; i += WG) {
        uint j = i;
        int sum = x[i];
        while (j > 0 && !flags[j])
            sum += x[--j];
        sums[i] = sum;
    }
}

__kernel void scanTotals(__global const int *totals, __global const uint *firsts, __global int *carries,
                         uint tiles)
{
}

__kernel void addCarries(__global int *sums, __global const uint *firsts, __global const int *carries, uint n)
{
}
