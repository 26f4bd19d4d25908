// Model solution: exclusive prefix sums, first within tiles, then over the sums of the tiles.
//
// A work-item has four neighbouring elements, which it reads and stores as a vector. It adds them up in registers, so a
// group has only WG sums to scan, not TILE elements. The sums are in rows of 16. A work-item adds up the sums before its
// own in its row, and then the sums of the rows before. A row is one vector, so few requests to local memory and two
// barriers are enough.
//
// scanSums does the same for TILE totals at a time, and reads the next totals early. The sum of all totals so far stays
// in a register of every work-item.

#define ROW 16
#define ROWS (WG / ROW)    // at most 16

// Returns the sum of the first `count` numbers of a row.
static uint32_t sum_of(uint32_t count, uint16 row)
{
    const uint16 after = (uint16)(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);    // numbers after each one
    const uint16 counted = row & as_uint16(after + count >= ROW);
    const uint8 half_of_it = counted.lo + counted.hi;
    const uint4 quarter = half_of_it.lo + half_of_it.hi;
    return quarter.s0 + quarter.s1 + quarter.s2 + quarter.s3;
}

// Returns the sum of all work-items before this one, and in *all the sum of the whole group. `sums` has one more
// row, for the sums of the rows.
static uint32_t scanned(uint32_t own, uint32_t *all, __local uint16 *sums)
{
    const uint32_t lid = get_local_id(0), row = lid / ROW, place = lid % ROW;
    __local uint32_t *const words = (__local uint32_t *)sums;
    words[lid] = own;
    if (lid < ROW)
        words[WG + lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint32_t before = sum_of(place, sums[row]);
    if (place == ROW - 1)
        words[WG + row] = before + own;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint16 rows = sums[ROWS];
    *all = sum_of(ROWS, rows);
    return sum_of(row, rows) + before;
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
    __local uint16 sums[ROWS + 1];

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
    __local uint16 sums[2][ROWS + 1];    // used in turn, so no barrier is needed after the last read

    uint32_t carry = 0, i = 4 * get_local_id(0);
    uint4 next = loaded(totals, i, tiles);
    for (uint32_t start = 0; start < tiles; start += TILE, i += TILE) {
        const uint4 four = next;
        next = loaded(totals, i + TILE, tiles);
        uint32_t total;
        const uint32_t first = scanned(four.s0 + four.s1 + four.s2 + four.s3, &total, sums[start / TILE % 2]);
        store(sums_before(four, carry + first), offsets, i, tiles);
        carry += total;
    }
}

__kernel void addOffsets(__global uint32_t *before, __global const uint32_t *offsets, uint32_t n)
{
    const uint32_t i = get_group_id(0) * TILE + 4 * get_local_id(0);
    store(loaded(before, i, n) + offsets[get_group_id(0)], before, i, n);
}
