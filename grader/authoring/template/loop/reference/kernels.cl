// Model solution: each node takes the link of its link. An atomic sets the flag, because several work-items may set it.
__kernel void @ASSIGNMENT@(__global const uint32_t *link, __global uint32_t *next, __global uint32_t *changed, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    const uint32_t one = link[i], two = link[one];
    next[i] = two;
    if (one != two)
        atomic_or(changed, 1);
}
