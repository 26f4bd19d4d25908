// One warp counts all bytes in private memory. The other work-items do nothing, and nothing is in local memory.
__kernel void histogram(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    const uint32_t gid = get_global_id(0);
    if (gid >= 32)
        return;

    uint32_t part[BINS];
    for (uint32_t b = 0; b < BINS; b++)
        part[b] = 0;
    for (uint32_t i = gid; i < n / 4; i += 32) {
        const uint32_t word = ((__global const uint32_t *)data)[i];
        part[word & 255]++;
        part[word >> 8 & 255]++;
        part[word >> 16 & 255]++;
        part[word >> 24]++;
    }
    for (uint32_t i = n / 4 * 4 + gid; i < n; i += 32)
        part[data[i]]++;
    for (uint32_t b = 0; b < BINS; b++)
        if (part[b] > 0)
            atomic_add(&counts[b], part[b]);
}
