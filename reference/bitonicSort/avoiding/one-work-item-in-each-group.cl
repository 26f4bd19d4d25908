// The first work-item of a group does the steps of the whole block, in local memory.
__kernel void bitonicNear(__global int *data, uint32_t n, uint32_t first, uint32_t last)
{
    __local int block[BLOCK];
    if (get_local_id(0) > 0)
        return;

    const uint32_t start = get_group_id(0) * BLOCK;
    const uint32_t length = min((uint32_t)BLOCK, n - start);
    for (uint32_t i = 0; i < length; i++)
        block[i] = data[start + i];
    for (uint32_t k = first; k <= last; k *= 2)
        for (uint32_t j = min(k / 2, (uint32_t)BLOCK / 2); j > 0; j /= 2)
            for (uint32_t i = 0; i < length; i++)
                if ((i & j) == 0 && (block[i] > block[i + j]) == (((start + i) & k) == 0)) {
                    const int other = block[i];
                    block[i] = block[i + j];
                    block[i + j] = other;
                }
    for (uint32_t i = 0; i < length; i++)
        data[start + i] = block[i];
}

__kernel void bitonicFar(__global int *data, uint32_t n, uint32_t k, uint32_t j)
{
    const uint32_t pair = get_global_id(0);
    const uint32_t i = 2 * pair - (pair & (j - 1));
    const int a = data[i], b = data[i + j];
    if ((a > b) == ((i & k) == 0)) {
        data[i] = b;
        data[i + j] = a;
    }
}
