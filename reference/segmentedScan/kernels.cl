// Model solution: inclusive prefix sums of segments, first within tiles, then over the tiles.
//
// A scan works with every operator that is associative. Here it combines pairs of a flag and a value. If the later pair
// has a flag, its value stays, because its segment begins there. Otherwise the values are added. The result has a flag if
// one of the two has one.
//
// A work-item combines its four elements in registers. The scan of the WG pairs has log2(WG) steps, which read from one
// half of the local arrays and write to the other. Before the first flag of a tile, its first segment may have begun many
// tiles earlier. scanTotals combines all these tiles, and only the elements before the first flag are changed again.

typedef struct {
    uint32_t begun;
    int value;
} Pair;

static Pair combined(Pair early, Pair late)
{
    late.value += late.begun ? 0 : early.value;
    late.begun |= early.begun;
    return late;
}

typedef struct {
    uint32_t begun[2][WG];
    int value[2][WG];
} Pairs;

// Returns what all work-items before this one make together, and in *all what the whole group makes.
static Pair scanned(Pair own, Pair *all, __local Pairs *pairs)
{
    const uint32_t lid = get_local_id(0);
    uint32_t from = 0;
    pairs->begun[0][lid] = own.begun;
    pairs->value[0][lid] = own.value;
    for (uint32_t reach = 1; reach < WG; reach *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);    // the step before is complete
        if (lid >= reach) {
            const Pair early = {pairs->begun[from][lid - reach], pairs->value[from][lid - reach]};
            own = combined(early, own);
        }
        from = 1 - from;
        pairs->begun[from][lid] = own.begun;
        pairs->value[from][lid] = own.value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    Pair before = {0, 0};
    if (lid > 0) {
        before.begun = pairs->begun[from][lid - 1];
        before.value = pairs->value[from][lid - 1];
    }
    all->begun = pairs->begun[from][WG - 1];
    all->value = pairs->value[from][WG - 1];
    return before;
}

__kernel void scanBlocks(__global const int *x, __global const uchar *flags, __global int *sums, __global int *totals,
                         __global uint32_t *firsts, uint32_t n)
{
    __local Pairs pairs;

    const uint32_t tile = get_group_id(0);
    const uint32_t place = 4 * get_local_id(0), i = tile * TILE + place;
    int4 value = 0;
    uchar4 flag = 0;
    if (i + 3 < n) {
        value = vload4(0, x + i);
        flag = vload4(0, flags + i);
    } else if (i < n) {
        value = (int4)(x[i], i + 1 < n ? x[i + 1] : 0, i + 2 < n ? x[i + 2] : 0, 0);
        flag = (uchar4)(flags[i], i + 1 < n ? flags[i + 1] : 0, i + 2 < n ? flags[i + 2] : 0, 0);
    }

    value.s1 += flag.s1 ? 0 : value.s0;
    value.s2 += flag.s2 ? 0 : value.s1;
    value.s3 += flag.s3 ? 0 : value.s2;
    const Pair own = {flag.s0 | flag.s1 | flag.s2 | flag.s3, value.s3};
    Pair all;
    const Pair before = scanned(own, &all, &pairs);

    const uint32_t first = flag.s0 ? 0 : flag.s1 ? 1 : flag.s2 ? 2 : flag.s3 ? 3 : 4;    // of this work-item
    value += first > (uint4)(0, 1, 2, 3) ? (int4)before.value : (int4)0;
    if (i + 3 < n)
        vstore4(value, 0, sums + i);
    else {
        if (i < n)
            sums[i] = value.s0;
        if (i + 1 < n)
            sums[i + 1] = value.s1;
        if (i + 2 < n)
            sums[i + 2] = value.s2;
    }

    if (own.begun && !before.begun)
        firsts[tile] = place + first;
    if (get_local_id(0) == 0) {
        totals[tile] = all.value;
        if (!all.begun)
            firsts[tile] = TILE;
    }
}

__kernel void scanTotals(__global const int *totals, __global const uint32_t *firsts, __global int *carries,
                         uint32_t tiles)
{
    __local Pairs pairs;

    int carry = 0;
    for (uint32_t start = 0; start < tiles; start += WG) {
        const uint32_t tile = start + get_local_id(0);
        Pair own = {0, 0}, all;
        if (tile < tiles) {
            own.begun = firsts[tile] < TILE;
            own.value = totals[tile];
        }
        const Pair before = scanned(own, &all, &pairs);
        if (tile < tiles)
            carries[tile] = before.value + (before.begun ? 0 : carry);
        carry = all.value + (all.begun ? 0 : carry);
        barrier(CLK_LOCAL_MEM_FENCE);    // all work-items have read the last pair
    }
}

__kernel void addCarries(__global int *sums, __global const uint32_t *firsts, __global const int *carries, uint32_t n)
{
    const uint32_t tile = get_group_id(0), start = tile * TILE;
    const uint32_t end = min(start + firsts[tile], n);
    const int carry = carries[tile];
    for (uint32_t i = start + get_local_id(0); i < end; i += WG)
        sums[i] += carry;
}
