// Baseline: one work-item for each tile, and one for all counts.
__kernel void naiveCount(__global const uint32_t *keys, __global uint32_t *counts, uint32_t n, uint32_t tiles,
                         uint32_t shift)
{
    const uint32_t tile = get_global_id(0);
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        uint32_t count = 0;
        for (uint32_t i = tile * TILE; i < min(n, (tile + 1) * TILE); i++)
            count += (keys[i] >> shift & (DIGITS - 1)) == digit;
        counts[digit * tiles + tile] = count;
    }
}

__kernel void naiveScan(__global uint32_t *counts, uint32_t counters)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < counters; i++) {
        const uint32_t count = counts[i];
        counts[i] = sum;
        sum += count;
    }
}

__kernel void naiveScatter(__global const uint32_t *keys, __global const uint32_t *counts, __global uint32_t *sorted,
                           uint32_t n, uint32_t tiles, uint32_t shift)
{
    const uint32_t tile = get_global_id(0);
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        uint32_t place = counts[digit * tiles + tile];
        for (uint32_t i = tile * TILE; i < min(n, (tile + 1) * TILE); i++)
            if ((keys[i] >> shift & (DIGITS - 1)) == digit)
                sorted[place++] = keys[i];
    }
}
