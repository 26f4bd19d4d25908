__kernel void bitonicNear(__global int *data, uint32_t n, uint32_t first, uint32_t last)
{
    __local int block[BLOCK];
    const uint32_t lid = get_local_id(0);
    const uint32_t start = get_group_id(0) * BLOCK;

    for (uint32_t i = lid; i < BLOCK; i += WG)
        if (start + i < n)
            block[i] = data[start + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t k = first; k <= last; k *= 2) {
        for (uint32_t j = min(k / 2, (uint32_t)(BLOCK / 2)); j > 0; j /= 2) {
            const uint32_t i = lid / j * 2 * j + lid % j;
            if (start + i + j < n) {
                const bool up = ((start + i) & k) == 0;
                const int a = block[i];
                const int b = block[i + j];
                if ((a > b) == up) {
                    block[i] = b;
                    block[i + j] = a;
                }
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t i = lid; i < BLOCK; i += WG)
        if (start + i < n)
            data[start + i] = block[i];
}

__kernel void bitonicFar(__global int *data, uint32_t n, uint32_t k, uint32_t j)
{
    const uint32_t p = get_global_id(0);
    const uint32_t i = p / j * 2 * j + p % j;
    const int a = data[i], b = data[i + j];
    const bool up = (i & k) == 0;
    data[i] = up ? min(a, b) : max(a, b);
    data[i + j] = up ? max(a, b) : min(a, b);
}
