// The frontier holds the level of the neighbours, so that the first kernel needs no level of the node itself.
__kernel void expand(__global const uint32_t *offsets, __global const uint32_t *neighbours, __global const int *levels,
                     __global uint32_t *frontier, __global int *found, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    const uint32_t next = v < nodes ? frontier[v] : 0;
    if (next == 0)
        return;
    __global const uint32_t *at = neighbours + offsets[v];
    __global const uint32_t *const end = neighbours + offsets[v + 1];
    for (; at < end; at++)
        if (levels[*at] == -1)
            found[*at] = next;
    frontier[v] = 0;
}

__kernel void settle(__global int *levels, __global uint32_t *frontier, __global const int *found,
                     __global uint32_t *changed, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v < nodes) {
        const int level = found[v];
        if (level && levels[v] == -1) {
            levels[v] = level;
            frontier[v] = level + 1;
            *changed = 1;
        }
    }
}
