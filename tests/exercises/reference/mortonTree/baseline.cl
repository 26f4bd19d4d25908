// Baseline: one work-item does everything, bit by bit and key by key.
__kernel void naiveKeys(__global const float4 *particles, __global ulong *keys, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ulong key = 0;
        const uint4 cell = convert_uint4(particles[i] * 2097152.0f);
        for (int bit = 20; bit >= 0; bit--)
            key = key << 3 | (cell.x >> bit & 1) << 2 | (cell.y >> bit & 1) << 1 | (cell.z >> bit & 1);
        keys[i] = key;
    }
}

__kernel void naiveSort(__global ulong *keys, __global uint32_t *order, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        const ulong key = keys[i];
        const uint32_t particle = order[i];
        uint32_t place = i;
        for (; place > 0 && keys[place - 1] > key; place--) {
            keys[place] = keys[place - 1];
            order[place] = order[place - 1];
        }
        keys[place] = key;
        order[place] = particle;
    }
}

int alike(__global const ulong *keys, int i, int j)
{
    return keys[i] == keys[j] ? 64 + clz(i ^ j) : (int)clz(keys[i] ^ keys[j]);
}

__kernel void naiveNodes(__global const ulong *keys, __global uint2 *children, uint32_t n)
{
    for (int i = 0; i + 1 < (int)n; i++) {
        const int above = i > 0 ? alike(keys, i, i - 1) : -1, below = alike(keys, i, i + 1);
        int first = i, last = i;
        if (below > above)
            while (last + 1 < (int)n && alike(keys, i, last + 1) > above)
                last++;
        else
            while (first > 0 && alike(keys, i, first - 1) > below)
                first--;
        int split = first;
        while (alike(keys, first, split + 1) > alike(keys, first, last))
            split++;
        children[i] = (uint2)(split, split + 1);
    }
}
