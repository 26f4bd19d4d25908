// The first work-item of a group counts the bytes of the group, in private memory.
__kernel void histogram(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    if (get_local_id(0) > 0)
        return;

    uint32_t part[BINS];
    for (uint32_t b = 0; b < BINS; b++)
        part[b] = 0;
    for (uint32_t i = get_group_id(0); i < n; i += get_num_groups(0))
        part[data[i]]++;
    for (uint32_t b = 0; b < BINS; b++)
        atomic_add(&counts[b], part[b]);
}
