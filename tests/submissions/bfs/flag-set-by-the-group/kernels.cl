// The flag is set by the group: its work-items first meet in local memory. What is found is stored by atomic functions.
kernel void expand(global const uint *offsets, global const uint *neighbours, global const int *levels,
                   global uint *frontier, volatile global int *found, uint nodes)
{
    const size_t v = get_global_id(0);
    if (v >= nodes || frontier[v] == 0)
        return;
    frontier[v] = 0;
    const int level = 1 + levels[v];
    const uint last = offsets[v + 1];
    uint e = offsets[v];
    while (e != last) {
        const uint u = neighbours[e++];
        if (levels[u] == -1)
            atomic_max(found + u, level);
    }
}

kernel void settle(global int *levels, global uint *frontier, global const int *found, volatile global uint *changed, uint nodes)
{
    local uint any;
    const size_t v = get_global_id(0);
    if (get_local_id(0) == 0)
        any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v < nodes && found[v] && levels[v] < 0) {
        levels[v] = found[v];
        frontier[v] = 1;
        atomic_or(&any, 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && any)
        atomic_xchg(changed, 1);
}
