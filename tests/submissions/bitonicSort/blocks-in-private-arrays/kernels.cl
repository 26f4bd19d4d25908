// Right results without local memory. One group of eight works. Eight of its work-items each bring a block into order
// alone, in a private array.
#define LANES 8
static uint32_t first_of_pair(uint32_t pair, uint32_t j)
{
    return 2 * pair - (pair & (j - 1));
}

__kernel void bitonicNear(__global int *data, uint32_t n, uint32_t first, uint32_t last)
{
    if (get_group_id(0) % LANES != 0 || get_local_id(0) >= LANES)
        return;
    const uint32_t start = (get_group_id(0) + get_local_id(0)) * BLOCK;
    if (start >= n)
        return;

    const uint32_t many = min(n - start, (uint32_t)BLOCK);
    int block[BLOCK];
    for (uint32_t i = 0; i < many; i++)
        block[i] = data[start + i];
    for (uint32_t k = first; k <= last; k *= 2)
        for (uint32_t j = min(k / 2, (uint32_t)BLOCK / 2); j > 0; j /= 2)
            for (uint32_t pair = 0; pair < many / 2; pair++) {
                const uint32_t i = first_of_pair(pair, j);
                const int a = block[i], b = block[i + j];
                const int least = min(a, b), most = max(a, b), down = -(int)(((start + i) & k) != 0);
                block[i] = least ^ ((least ^ most) & down);    // no branch: the directions of blocks differ
                block[i + j] = most ^ ((least ^ most) & down);
            }
    for (uint32_t i = 0; i < many; i++)
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
