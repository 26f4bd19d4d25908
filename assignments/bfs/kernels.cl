// bfs: the level of every node of a graph, which is the smallest number of edges on a path from the source to the node.
//
// The edges of node v lead to the nodes neighbours[e], for e from offsets[v] up to, but not including, offsets[v + 1].
// At the start levels[v] is -1, and only the source has level 0. Nodes that no path reaches keep -1.
// At the start frontier[v] is 1 for the source and 0 for all other nodes, and found[v] is 0 for all.
//
// An iteration sets changed[0] to 0 and launches expand, then settle. The search ends if changed[0] is still 0 then.
//
// Launch:   work-group (WG), global (ceil(nodes/WG)*WG): one work-item for each node.
// Defined:  WG (64), uint32_t (uint).
__kernel void expand(__global const uint32_t *offsets, __global const uint32_t *neighbours, __global const int *levels,
                     __global uint32_t *frontier, __global int *found, uint32_t nodes)
{
    // TODO: if the node is in the frontier, store the level of each neighbour that has none yet in found
    // TODO: why can levels not be changed here?
}

__kernel void settle(__global int *levels, __global uint32_t *frontier, __global const int *found,
                     __global uint32_t *changed, uint32_t nodes)
{
    // TODO: if a level was found for the node, and it has none yet, store it
    // TODO: which nodes are the frontier of the next iteration? When must changed[0] be set?
}
