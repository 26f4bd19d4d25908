// @ASSIGNMENT@: one jump of each node towards its root.
//
// link[i] is a node on the way from node i to its root; a root links to itself. Write the link of link[i] to next[i].
// After each launch, link and next change places. Set *changed to 1 if any link has changed: the launches are repeated
// until none has.
//
// Launch:   work-group (GROUP), global (ceil(n/GROUP)*GROUP).
// Defined:  GROUP (64), uint32_t (uint).
__kernel void @ASSIGNMENT@(__global const uint32_t *link, __global uint32_t *next, __global uint32_t *changed, uint32_t n)
{
    // TODO: which node is this work-item's, and is there one?
    // TODO: jump, and tell if this has changed anything; several work-items may tell it at the same time
}
