// Model solution: exclusive prefix sums, first within tiles, then over the sums of the tiles.
//
// A work-item has four neighbouring elements, which it reads and stores as a vector. It adds them up in registers, so a
// group has only WG sums to scan, not TILE elements. The sums are in rows of 16. A work-item adds up the sums before its
// own in its row, and then the sums of the previous rows, so two barriers are enough.
//
// Instructions, not memory, limit the speed of a scan. Therefore, a work-item reads only the vectors that contain sums
// before its own, and tests once for each vector whether all its sums count. Only the last vector needs a test for each sum.
//
// scanSums does the same for TILE totals at a time, and reads the next totals early. The sum of all totals so far stays
// in a register of every work-item.

#define ROW 16
#define ROWS (WG / ROW)    // at most 16
#define VECTORS (WG / 4 + ROWS / 4)    // the sums of the work-items, and the sums of the rows

static uint32_t sum(uint4 x)
{
    return x.s0 + x.s1 + x.s2 + x.s3;
}

// Returns the sum of the first `count` numbers. `count` is less than 16.
static uint32_t sum_of(uint32_t count, __local const uint4 *numbers)
{
    uint32_t sum_so_far = 0;
    #pragma unroll
    for (uint32_t vector = 0; vector < ROW / 4 - 1; vector++)
        if (vector < count / 4)
            sum_so_far += sum(numbers[vector]);
    const uint32_t rest = count % 4;
    const uint4 last = numbers[count / 4];
    return sum_so_far + (rest > 0 ? last.s0 : 0) + (rest > 1 ? last.s1 : 0) + (rest > 2 ? last.s2 : 0);
}

// Returns the sum of all work-items before this one. The last ROWS numbers of `sums` become the sums of the rows.
static uint32_t scanned(uint32_t own, __local uint4 *sums)
{
    const uint32_t lid = get_local_id(0), row = lid / ROW, place = lid % ROW;
    __local uint32_t *const words = (__local uint32_t *)sums;
    words[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint32_t before = sum_of(place, sums + row * ROW / 4);
    if (place == ROW - 1)
        words[WG + row] = before + own;
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum_of(row, sums + WG / 4) + before;
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
    __local uint4 sums[VECTORS];

    const uint32_t i = get_group_id(0) * TILE + 4 * get_local_id(0);
    const uint4 four = loaded(x, i, n);
    const uint32_t first = scanned(sum(four), sums);
    store(sums_before(four, first), before, i, n);
    if (get_local_id(0) == WG - 1)
        totals[get_group_id(0)] = first + sum(four);
}

__kernel void scanSums(__global const uint32_t *totals, __global uint32_t *offsets, uint32_t tiles)
{
    __local uint4 sums[2][VECTORS];    // used in turn, so no barrier is needed after the last read

    uint32_t carry = 0, i = 4 * get_local_id(0);
    uint4 next = loaded(totals, i, tiles);
    for (uint32_t start = 0; start < tiles; start += TILE, i += TILE) {
        const uint4 four = next;
        next = loaded(totals, i + TILE, tiles);
        __local uint4 *const now = sums[start / TILE % 2];
        const uint32_t first = scanned(sum(four), now);
        store(sums_before(four, carry + first), offsets, i, tiles);
        for (uint32_t vector = WG / 4; vector < VECTORS; vector++)
            carry += sum(now[vector]);
    }
}

__kernel void addOffsets(__global uint32_t *before, __global const uint32_t *offsets, uint32_t n)
{
    const uint32_t i = get_group_id(0) * TILE + 4 * get_local_id(0);
    store(loaded(before, i, n) + offsets[get_group_id(0)], before, i, n);
}
