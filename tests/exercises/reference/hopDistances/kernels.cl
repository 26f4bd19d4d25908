// Model solution: each node looks at its own links, so only one work-item stores its level.
__kernel void start(__global int *levels, uint32_t source, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v < nodes)
        levels[v] = v == source ? 0 : -1;
}

__kernel void expand(__global const uint32_t *links, __global const int *levels, __global int *next,
                     __global uint32_t *changed, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v >= nodes)
        return;
    int level = levels[v];
    for (uint32_t i = 0; level != 0 && i < LINKS; i++) {
        const int other = levels[links[v * LINKS + i]];
        if (other >= 0 && (level < 0 || other + 1 < level))
            level = other + 1;
    }
    next[v] = level;
    if (level != levels[v])
        changed[0] = 1;
}

__kernel void store(__global const int *next, __global int *distances, uint32_t source, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v < nodes)
        distances[source * nodes + v] = next[v];
}
