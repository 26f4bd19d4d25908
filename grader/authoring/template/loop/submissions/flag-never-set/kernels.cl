__kernel void @ASSIGNMENT@(__global const uint32_t *link, __global uint32_t *next, __global uint32_t *changed, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        next[i] = link[link[i]];
}
