__kernel void expand(__global const uint32_t *offsets, __global const uint32_t *neighbours, __global const int *levels,
                     __global uint32_t *frontier, __global int *found, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v < nodes && frontier[v]) {
        const int next = levels[v] + 1;
        for (uint32_t e = offsets[v]; e < offsets[v + 1]; e++)
            if (levels[neighbours[e]] < 0)
                found[neighbours[e]] = next;
    }
}

__kernel void settle(__global int *levels, __global uint32_t *frontier, __global const int *found,
                     __global uint32_t *changed, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v < nodes && levels[v] < 0 && found[v] > 0) {
        levels[v] = found[v];
        frontier[v] = 1;
        changed[0] = 1;
    }
}
