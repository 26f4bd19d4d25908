// Each work-item walks back from its elements to the flag of their segment, in global memory. There is no scan.
__kernel void scanBlocks(__global const int *x, __global const uchar *flags, __global int *sums, __global int *totals,
                         __global uint32_t *firsts, uint32_t n)
{
    const uint32_t start = get_group_id(0) * TILE;
    for (uint32_t i = start + get_local_id(0); i < start + TILE && i < n; i += WG) {
        uint32_t j = i;
        int sum = x[i];
        while (j > 0 && !flags[j])
            sum += x[--j];
        sums[i] = sum;
    }
}

__kernel void scanTotals(__global const int *totals, __global const uint32_t *firsts, __global int *carries,
                         uint32_t tiles)
{
}

__kernel void addCarries(__global int *sums, __global const uint32_t *firsts, __global const int *carries, uint32_t n)
{
}
