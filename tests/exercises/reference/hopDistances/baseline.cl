// Baseline: one work-item runs a whole iteration.
__kernel void start(__global int *levels, uint32_t source, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v < nodes)
        levels[v] = v == source ? 0 : -1;
}

__kernel void expand(__global const uint32_t *links, __global const int *levels, __global int *next,
                     __global uint32_t *changed, uint32_t nodes)
{
    for (uint32_t v = 0; v < nodes && get_global_id(0) == 0; v++) {
        next[v] = levels[v];
        for (uint32_t i = 0; i < LINKS; i++) {
            const int other = levels[links[v * LINKS + i]];
            if (levels[v] < 0 && other >= 0) {
                next[v] = other + 1;
                changed[0] = 1;
            }
        }
    }
}

__kernel void store(__global const int *next, __global int *distances, uint32_t source, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v < nodes)
        distances[source * nodes + v] = next[v];
}
