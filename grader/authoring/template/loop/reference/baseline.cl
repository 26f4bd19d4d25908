// Baseline: each work-item follows the links to its root, in a single launch.
__kernel void naive_@ASSIGNMENT@(__global const uint32_t *link, __global uint32_t *next, __global uint32_t *changed, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    uint32_t root = i;
    while (link[root] != root)
        root = link[root];
    next[i] = root;
}
