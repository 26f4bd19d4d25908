// Each work-item reads all bytes of its group, and counts two of the values in registers. Nothing is in local memory.
__kernel void histogram(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    const uint32_t share = (n + 16 * GROUPS - 1) / (16 * GROUPS) * 16;    // bytes of a group
    const uint32_t first = get_group_id(0) * share, end = min(first + share, n);

    for (uint32_t value = get_local_id(0); value < BINS; value += WG) {
        uint32_t bits = 0, i = first;    // a byte with this value adds 8 bits
        for (; i + 16 <= end; i += 16) {
            const ulong2 found = popcount(as_ulong2(vload16(0, data + i) == (uchar16)(uchar)value));
            bits += found.x + found.y;
        }
        for (; i < end; i++)
            bits += data[i] == value ? 8 : 0;
        if (bits > 0)
            atomic_add(&counts[value], bits / 8);
    }
}
