// Model solution. A work-group counts the digits of a tile by atomics in local memory.
__kernel void countDigits(__global const uint32_t *keys, __global uint32_t *counts, uint32_t n, uint32_t tiles,
                          uint32_t shift)
{
    __local uint32_t own[DIGITS];
    const uint32_t lane = get_local_id(0), tile = get_group_id(0);
    if (lane < DIGITS)
        own[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t i = tile * TILE + lane; i < min(n, (tile + 1) * TILE); i += WG)
        atomic_inc(&own[keys[i] >> shift & (DIGITS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < DIGITS)
        counts[lane * tiles + tile] = own[lane];
}

// Each work-item adds up a piece, and the sums of the pieces are added in local memory.
__kernel void scanCounts(__global uint32_t *counts, uint32_t counters)
{
    __local uint32_t sums[WG];
    const uint32_t lane = get_local_id(0), piece = (counters + WG - 1) / WG;
    const uint32_t first = min(lane * piece, counters), end = min(first + piece, counters);
    uint32_t sum = 0;
    for (uint32_t i = first; i < end; i++)
        sum += counts[i];
    sums[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (uint32_t i = 0; i < lane; i++)
        sum += sums[i];
    for (uint32_t i = first; i < end; i++) {
        const uint32_t count = counts[i];
        counts[i] = sum;
        sum += count;
    }
}

// A key's place is the number of keys with its digit before it in the tile, after those of earlier tiles.
__kernel void scatter(__global const uint32_t *keys, __global const uint32_t *counts, __global uint32_t *sorted,
                      uint32_t n, uint32_t tiles, uint32_t shift)
{
    __local uint32_t digits[TILE];
    const uint32_t lane = get_local_id(0), tile = get_group_id(0), size = min(n - tile * TILE, (uint32_t)TILE);
    for (uint32_t i = lane; i < size; i += WG)
        digits[i] = keys[tile * TILE + i] >> shift & (DIGITS - 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t i = lane; i < size; i += WG) {
        uint32_t place = counts[digits[i] * tiles + tile];
        for (uint32_t earlier = 0; earlier < i; earlier++)
            place += digits[earlier] == digits[i];
        sorted[place] = keys[tile * TILE + i];
    }
}
