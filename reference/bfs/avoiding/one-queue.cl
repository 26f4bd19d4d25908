// One work-item searches the whole graph, with found as its queue. The next launches do nothing.
__kernel void expand(__global const uint32_t *offsets, __global const uint32_t *neighbours, __global int *levels,
                     __global uint32_t *frontier, __global int *found, uint32_t nodes)
{
    if (get_global_id(0) > 0 || !frontier[0])
        return;

    uint32_t length = 1;
    found[0] = 0;
    for (uint32_t place = 0; place < length; place++) {
        const uint32_t v = found[place];
        for (uint32_t e = offsets[v]; e < offsets[v + 1]; e++) {
            const uint32_t u = neighbours[e];
            if (levels[u] < 0) {
                levels[u] = levels[v] + 1;
                found[length++] = u;
            }
        }
    }
}

__kernel void settle(__global int *levels, __global uint32_t *frontier, __global const int *found,
                     __global uint32_t *changed, uint32_t nodes)
{
}
