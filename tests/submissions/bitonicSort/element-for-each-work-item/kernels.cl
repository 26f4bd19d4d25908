// each work-item has an element of the block in turn; the upper one of a pair does nothing
__kernel void bitonicNear(__global int *data, uint32_t n, uint32_t first, uint32_t last)
{
    __local int block[BLOCK];
    uint32_t lid = get_local_id(0);
    uint32_t start = get_group_id(0) * BLOCK;
    for (uint32_t i = lid; i < BLOCK; i += WG)
        if (start + i < n)
            block[i] = data[start + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t k = first; k <= last; k *= 2)
        for (uint32_t j = k / 2; j > 0; j /= 2) {
            if (j >= BLOCK)
                continue;
            for (uint32_t i = lid; i < BLOCK; i += WG) {
                uint32_t other = i ^ j;
                if (other > i && start + i < n) {
                    int a = block[i], b = block[other];
                    if ((a > b) == (((start + i) & k) == 0)) {
                        block[i] = b;
                        block[other] = a;
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    for (uint32_t i = lid; i < BLOCK; i += WG)
        if (start + i < n)
            data[start + i] = block[i];
}

__kernel void bitonicFar(__global int *data, uint32_t n, uint32_t k, uint32_t j)
{
    uint32_t p = get_global_id(0);
    uint32_t i = p / j * 2 * j + p % j;
    int a = data[i], b = data[i + j];
    if ((a > b) == ((i & k) == 0)) {
        data[i] = b;
        data[i + j] = a;
    }
}
