// Model solution: an iteration follows the edges of the frontier, the nodes that the iteration before has reached. So
// the search reads each edge once, and each iteration only one flag of most nodes.
//
// expand reads levels, and settle changes them. If one kernel did both, a work-item could take a node that was reached
// a moment ago for one of an earlier iteration. Several work-items may find the same node. They store the same level.
__kernel void expand(__global const uint32_t *offsets, __global const uint32_t *neighbours, __global const int *levels,
                     __global uint32_t *frontier, __global int *found, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v >= nodes)
        return;
    if (!frontier[v])
        return;

    frontier[v] = 0;
    const int next = levels[v] + 1;
    const uint32_t end = offsets[v + 1];
    for (uint32_t e = offsets[v]; e < end; e++) {
        const uint32_t u = neighbours[e];
        if (levels[u] < 0)
            found[u] = next;
    }
}

__kernel void settle(__global int *levels, __global uint32_t *frontier, __global const int *found,
                     __global uint32_t *changed, uint32_t nodes)
{
    const uint32_t v = get_global_id(0);
    if (v >= nodes)
        return;
    if (levels[v] >= 0 || found[v] == 0)
        return;

    levels[v] = found[v];
    frontier[v] = 1;
    changed[0] = 1;
}
