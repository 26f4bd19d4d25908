// The bits are spread one by one, and steps exchange equal keys, too.
ulong spread(uint coordinate)
{
    ulong bits = 0;
    for (uint b = 0; b < 21; b++)
        bits |= (ulong)(coordinate >> b & 1) << 3 * b;
    return bits;
}

__kernel void mortonKeys(__global const float4 *particles, __global ulong *keys, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    const uint4 cell = convert_uint4(particles[i] * (float)(1 << 21));
    keys[i] = spread(cell.x) << 2 | spread(cell.y) << 1 | spread(cell.z);
}

__kernel void sortStep(__global ulong *keys, __global uint32_t *order, uint32_t n, uint32_t k, uint32_t j)
{
    const uint32_t i = get_global_id(0), other = i ^ j;
    if (i >= n || other < i)
        return;
    const ulong a = keys[i], b = keys[other];
    if ((i & k) ? a <= b : a >= b) {
        keys[i] = b;
        keys[other] = a;
        const uint32_t particle = order[i];
        order[i] = order[other];
        order[other] = particle;
    }
}

// Number of common leading bits of two keys, and of their positions if they are equal; -1 for a position outside.
int common(__global const ulong *keys, int i, int j, int n)
{
    if (j < 0 || j >= n)
        return -1;
    return keys[i] == keys[j] ? 64 + clz(i ^ j) : (int)clz(keys[i] ^ keys[j]);
}

__kernel void linkNodes(__global const ulong *keys, __global uint2 *children, uint32_t n)
{
    const int i = get_global_id(0);
    if (i + 1 >= (int)n)
        return;
    const int d = common(keys, i, i + 1, n) > common(keys, i, i - 1, n) ? 1 : -1;
    const int outside = common(keys, i, i - d, n);
    int length = 0, step = 1;
    while (common(keys, i, i + step * d, n) > outside)
        step *= 2;
    for (; step > 0; step /= 2)
        if (common(keys, i, i + (length + step) * d, n) > outside)
            length += step;
    const int first = min(i, i + length * d), last = max(i, i + length * d), shared = common(keys, first, last, n);
    int low = first, high = last;    // the first key has more bits in common with low, but not with high
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (common(keys, first, middle, n) > shared)
            low = middle;
        else
            high = middle;
    }
    children[i] = (uint2)(low, low + 1);
}
