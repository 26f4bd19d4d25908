// The first group searches the whole graph in one launch. Barriers separate the levels. Later launches do nothing.
__kernel void expand(__global const uint32_t *offsets, __global const uint32_t *neighbours, __global int *levels,
                     __global uint32_t *frontier, __global int *found, uint32_t nodes)
{
    __local int more;
    const uint32_t lid = get_local_id(0);
    if (get_group_id(0) > 0 || found[0] < 0)
        return;

    int level = 0;
    do {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (lid == 0)
            more = 0;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (uint32_t v = lid; v < nodes; v += WG)
            if (frontier[v]) {
                frontier[v] = 0;
                for (uint32_t e = offsets[v], end = offsets[v + 1]; e < end; e++)
                    if (levels[neighbours[e]] < 0)
                        atomic_xchg(&found[neighbours[e]], 1);
            }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        level++;
        for (uint32_t v = lid; v < nodes; v += WG)
            if (found[v] > 0) {
                found[v] = 0;
                levels[v] = level;
                frontier[v] = 1;
                atomic_xchg(&more, 1);
            }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    } while (more);
    if (lid == 0)
        found[0] = -1;
}

__kernel void settle(__global int *levels, __global uint32_t *frontier, __global const int *found,
                     __global uint32_t *changed, uint32_t nodes)
{
}
