__kernel void @ASSIGNMENT@(__global uint *from, __global uint *to, __global uint *changes, uint nodes)
{
    size_t me = get_global_id(0);
    if (me < nodes) {
        uint there = from[from[me]];
        uint beyond = from[there];
        to[me] = beyond;
        if (there != beyond || from[me] != there)
            atomic_inc(changes);
    }
}
