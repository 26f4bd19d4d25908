// The first kernel stores levels itself, and the second one has nothing left to do but to move the frontier.
__kernel void expand(__global const uint32_t *offsets, __global const uint32_t *neighbours, __global int *levels,
                     __global uint32_t *frontier, __global int *found, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v >= nodes || !frontier[v])
        return;
    frontier[v] = 0;
    for (uint32_t e = offsets[v]; e < offsets[v + 1]; e++) {
        const uint32_t u = neighbours[e];
        if (levels[u] < 0) {
            levels[u] = levels[v] + 1;
            found[u] = 1;
        }
    }
}

__kernel void settle(__global int *levels, __global uint32_t *frontier, __global int *found,
                     __global uint32_t *changed, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v < nodes && found[v]) {
        found[v] = 0;
        frontier[v] = 1;
        changed[0] = 1;
    }
}
