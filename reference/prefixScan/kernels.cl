// Model solution: exclusive prefix sums, first within tiles, then over the sums of the tiles.
//
// A work-item has four neighbouring elements, which it reads and stores as a vector. It adds them up in registers, so a
// group has only WG sums to scan, not TILE elements. The scan of these sums has log2(WG) steps. In each step a
// work-item adds the sum that is 1, 2, 4, ... places before its own. It reads from one half of the array and writes to
// the other half, so one barrier in each step is enough.
//
// scanSums does the same for TILE totals at a time. The sum of all totals so far stays in a register of every work-item.

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

static uint4 loaded(__global const uint32_t *from, uint32_t i, uint32_t n)
{
    if (i + 3 < n)
        return vload4(0, from + i);
    return (uint4)(i < n ? from[i] : 0, i + 1 < n ? from[i + 1] : 0, i + 2 < n ? from[i + 2] : 0, 0);
}

static void store(uint4 value, __global uint32_t *to, uint32_t i, uint32_t n)
{
    if (i + 3 < n)
        vstore4(value, 0, to + i);
    else {
        if (i < n)
            to[i] = value.s0;
        if (i + 1 < n)
            to[i + 1] = value.s1;
        if (i + 2 < n)
            to[i + 2] = value.s2;
    }
}

// Returns the sums before each of the four elements, of which the first has the sum `first` before it.
static uint4 sums_before(uint4 x, uint32_t first)
{
    return (uint4)(first, first + x.s0, first + x.s0 + x.s1, first + x.s0 + x.s1 + x.s2);
}

__kernel void scanBlocks(__global const uint32_t *x, __global uint32_t *before, __global uint32_t *totals, uint32_t n)
{
    __local uint32_t sums[2][WG];

    const uint32_t i = get_group_id(0) * TILE + 4 * get_local_id(0);
    const uint4 four = loaded(x, i, n);
    uint32_t total;
    const uint32_t first = scanned(four.s0 + four.s1 + four.s2 + four.s3, &total, sums);
    store(sums_before(four, first), before, i, n);
    if (get_local_id(0) == 0)
        totals[get_group_id(0)] = total;
}

__kernel void scanSums(__global const uint32_t *totals, __global uint32_t *offsets, uint32_t tiles)
{
    __local uint32_t sums[2][WG];

    uint32_t carry = 0;
    for (uint32_t start = 0; start < tiles; start += TILE) {
        const uint32_t i = start + 4 * get_local_id(0);
        const uint4 four = loaded(totals, i, tiles);
        uint32_t total;
        const uint32_t first = scanned(four.s0 + four.s1 + four.s2 + four.s3, &total, sums);
        store(sums_before(four, carry + first), offsets, i, tiles);
        carry += total;
        barrier(CLK_LOCAL_MEM_FENCE);    // all work-items have read the total
    }
}

__kernel void addOffsets(__global uint32_t *before, __global const uint32_t *offsets, uint32_t n)
{
    const uint32_t i = get_group_id(0) * TILE + 4 * get_local_id(0);
    store(loaded(before, i, n) + offsets[get_group_id(0)], before, i, n);
}
