// For each source, the nodes 0 to sources - 1 in turn:
//   start    gives the source level 0 and all other nodes level -1.
//   expand   repeats until changed[0] remains 0. next[v] is the level of node v, or one more than the lowest level among
//            the nodes in links[v] if only they have levels. A node that gets a level sets changed[0]. After each
//            iteration, levels and next are swapped.
//   store    copies the levels of the search to its row of distances.
//
// Launch:   for each node one work-item, work-group (GROUP), global (ceil(nodes/GROUP)*GROUP).
// Defined:  GROUP (64), LINKS (3), uint32_t (uint).
__kernel void start(__global int *levels, uint32_t source, uint32_t nodes)
{
    // TODO
}

__kernel void expand(__global const uint32_t *links, __global const int *levels, __global int *next,
                     __global uint32_t *changed, uint32_t nodes)
{
    // TODO
}

__kernel void store(__global const int *next, __global int *distances, uint32_t source, uint32_t nodes)
{
    // TODO
}
