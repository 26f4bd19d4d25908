// The block has an unused word after every 32, so that the words of a small distance are in different banks.
#define AT(i) ((i) + (i) / 32)

__kernel void bitonicNear(__global int *data, uint32_t n, uint32_t first, uint32_t last)
{
    __local int block[AT(BLOCK)];
    const uint32_t lid = get_local_id(0), start = get_group_id(0) * BLOCK, size = min(n, (uint32_t)BLOCK);

    for (uint32_t i = lid; i < size; i += WG)
        block[AT(i)] = data[start + i];

    for (uint32_t k = first; k <= last; k *= 2)
        for (uint32_t j = min(k, (uint32_t)BLOCK) / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint32_t low = lid % j + 2 * (lid - lid % j), high = low + j;
            if (high < size) {
                const int a = block[AT(low)], b = block[AT(high)];
                const int smaller = min(a, b), larger = max(a, b);
                const bool falls = (start + low) & k;
                block[AT(low)] = falls ? larger : smaller;
                block[AT(high)] = falls ? smaller : larger;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint32_t i = lid; i < size; i += WG)
        data[start + i] = block[AT(i)];
}

__kernel void bitonicFar(__global int *data, uint32_t n, uint32_t k, uint32_t j)
{
    const uint32_t pair = get_global_id(0);
    const uint32_t low = pair % j + 2 * (pair - pair % j), high = low + j;
    const int a = data[low], b = data[high];
    const int smaller = min(a, b), larger = max(a, b);
    const bool falls = low & k;
    data[low] = falls ? larger : smaller;
    data[high] = falls ? smaller : larger;
}
