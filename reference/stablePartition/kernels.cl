// Model solution: a stable partition. The place of an element is a number of elements before it, so it is a prefix sum.
//
// A work-item counts its four elements in a register, and a group has WG counts to scan. Then the tile is put in order in
// local memory: first the elements below the pivot, then the others. So neighbouring work-items store neighbouring
// elements, in two runs. If they stored their elements directly, the words of a warp would be scattered over more sectors.

// Returns the sum of all work-items before this one, and in *all the sum of the whole group.
static uint32_t scanned(uint32_t own, uint32_t *all, __local uint32_t (*sums)[WG])
{
    const uint32_t lid = get_local_id(0);
    uint32_t from = 0, sum = own;
    sums[0][lid] = own;
    for (uint32_t reach = 1; reach < WG; reach *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);    // the step before is complete
        if (lid >= reach)
            sum += sums[from][lid - reach];
        from = 1 - from;
        sums[from][lid] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *all = sums[from][WG - 1];
    return sum - own;
}

// Elements past the end are not below the pivot, so they come last in their tile.
static int4 loaded(__global const int *x, uint32_t i, uint32_t n, int pivot)
{
    if (i + 3 < n)
        return vload4(0, x + i);
    return (int4)(i < n ? x[i] : pivot, i + 1 < n ? x[i + 1] : pivot, i + 2 < n ? x[i + 2] : pivot, pivot);
}

__kernel void countBlocks(__global const int *x, __global uint32_t *counts, uint32_t n, int pivot)
{
    __local uint32_t sums[WG];
    const uint32_t lid = get_local_id(0);

    const int4 is_low = loaded(x, get_group_id(0) * TILE + 4 * lid, n, pivot) < pivot;    // -1 for each that is
    sums[lid] = -(is_low.s0 + is_low.s1 + is_low.s2 + is_low.s3);
    for (uint32_t width = WG / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);    // the step before is complete
        if (lid < width)
            sums[lid] += sums[lid + width];
    }
    if (lid == 0)
        counts[get_group_id(0)] = sums[0];
}

__kernel void scanCounts(__global const uint32_t *counts, __global uint32_t *starts, uint32_t tiles)
{
    __local uint32_t sums[2][WG];

    uint32_t carry = 0;
    for (uint32_t start = 0; start < tiles; start += WG) {
        const uint32_t tile = start + get_local_id(0);
        uint32_t total;
        const uint32_t before = scanned(tile < tiles ? counts[tile] : 0, &total, sums);
        if (tile < tiles)
            starts[tile] = carry + before;
        carry += total;
        barrier(CLK_LOCAL_MEM_FENCE);    // all work-items have read the total
    }
    if (get_local_id(0) == 0)
        starts[tiles] = carry;
}

__kernel void scatter(__global const int *x, __global const uint32_t *starts, __global int *result, uint32_t n, int pivot)
{
    __local uint32_t sums[2][WG];
    __local int ordered[TILE];

    const uint32_t lid = get_local_id(0), tile = get_group_id(0), start = tile * TILE;
    const int4 four = loaded(x, start + 4 * lid, n, pivot);
    const uint4 is_low = as_uint4(-(four < pivot));
    uint32_t low;    // so many elements of the tile are below the pivot
    uint32_t place = scanned(is_low.s0 + is_low.s1 + is_low.s2 + is_low.s3, &low, sums);
    uint32_t other = low + 4 * lid - place;

    ordered[is_low.s0 ? place++ : other++] = four.s0;
    ordered[is_low.s1 ? place++ : other++] = four.s1;
    ordered[is_low.s2 ? place++ : other++] = four.s2;
    ordered[is_low.s3 ? place++ : other++] = four.s3;
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint32_t before = starts[tile];
    const uint32_t after = starts[get_num_groups(0)] + start - before;
    for (uint32_t i = lid; i < TILE && start + i < n; i += WG)
        result[i < low ? before + i : after + i - low] = ordered[i];
}
