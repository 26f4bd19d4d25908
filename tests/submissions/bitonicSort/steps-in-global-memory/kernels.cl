// The steps within a block, too, are done in global memory: nothing is gained over a launch for each.
__kernel void bitonicNear(__global int *data, uint32_t n, uint32_t first, uint32_t last)
{
    const uint32_t lid = get_local_id(0);
    const uint32_t start = get_group_id(0) * BLOCK;
    for (uint32_t k = first; k <= last; k *= 2)
        for (uint32_t j = min(k / 2, (uint32_t)BLOCK / 2); j > 0; j /= 2) {
            const uint32_t i = start + 2 * lid - (lid & (j - 1));
            if (i < n) {
                const int a = data[i], b = data[i + j];
                const bool up = (i & k) == 0;
                data[i] = up ? min(a, b) : max(a, b);
                data[i + j] = up ? max(a, b) : min(a, b);
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
}

__kernel void bitonicFar(__global int *data, uint32_t n, uint32_t k, uint32_t j)
{
    const uint32_t pair = get_global_id(0);
    const uint32_t i = 2 * pair - (pair & (j - 1));
    const int a = data[i], b = data[i + j];
    const bool up = (i & k) == 0;
    data[i] = up ? min(a, b) : max(a, b);
    data[i + j] = up ? max(a, b) : min(a, b);
}
