// Model solution: bitonic sort, with all steps within a block in local memory.
//
// A work-item has a pair in each step, so no work-item is idle. Pair p of distance j begins at the element that has the
// bits of p with a zero inserted at the bit of j. The smaller and the larger element are computed by min() and max(),
// so that the work-items of a warp stay together, and both are always stored.
//
// The direction depends on the index in the whole array, not in the block: k may be larger than a block.
static uint32_t first_of_pair(uint32_t pair, uint32_t j)
{
    return 2 * pair - (pair & (j - 1));
}

__kernel void bitonicNear(__global int *data, uint32_t n, uint32_t first, uint32_t last)
{
    __local int block[BLOCK];
    const uint32_t lid = get_local_id(0);
    const uint32_t start = get_group_id(0) * BLOCK;

    for (uint32_t i = lid; i < BLOCK; i += WG)
        if (start + i < n)
            block[i] = data[start + i];

    for (uint32_t k = first; k <= last; k *= 2)
        for (uint32_t j = min(k / 2, (uint32_t)BLOCK / 2); j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);    // the block is loaded, or the step before is complete
            const uint32_t i = first_of_pair(lid, j);
            if (start + i < n) {
                const int a = block[i], b = block[i + j];
                const bool up = ((start + i) & k) == 0;
                block[i] = up ? min(a, b) : max(a, b);
                block[i + j] = up ? max(a, b) : min(a, b);
            }
        }

    barrier(CLK_LOCAL_MEM_FENCE);    // a work-item stores other elements than those of its last pair
    for (uint32_t i = lid; i < BLOCK; i += WG)
        if (start + i < n)
            data[start + i] = block[i];
}

__kernel void bitonicFar(__global int *data, uint32_t n, uint32_t k, uint32_t j)
{
    const uint32_t i = first_of_pair(get_global_id(0), j);
    const int a = data[i], b = data[i + j];
    const bool up = (i & k) == 0;
    data[i] = up ? min(a, b) : max(a, b);
    data[i + j] = up ? max(a, b) : min(a, b);
}
