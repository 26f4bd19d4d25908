__kernel void @ASSIGNMENT@(__global uint *in, __global uint *out, __global uint *last, uint count)
{
    __local uint own[TILE];
    size_t me = get_local_id(0), at = get_global_id(0);
    own[me] = at < count ? in[at] : 0;
    for (uint distance = 1; distance < TILE; distance <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint left = me >= distance ? own[me - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        own[me] += left;
    }
    if (at < count)
        out[at] = own[me];
    if (me + 1 == TILE)
        last[get_group_id(0)] = own[me];
}

__kernel void @ASSIGNMENT@_offsets(__global uint *out, __global uint *last, uint count)
{
    __local uint before;
    size_t me = get_local_id(0), at = get_global_id(0);
    if (me == 0)
        before = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t tile = me; tile < get_group_id(0); tile += TILE)
        atomic_add(&before, last[tile]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at < count)
        out[at] += before;
}
