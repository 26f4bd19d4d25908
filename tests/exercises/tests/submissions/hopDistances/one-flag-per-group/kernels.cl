kernel void start(global int *level, uint s, uint n)
{
    uint v = get_global_id(0);
    if (v < n)
        level[v] = -(v != s);
}

kernel void expand(global const uint *links, global const int *before, global int *after, global uint *changed, uint n)
{
    local int any;
    uint v = get_global_id(0);
    if (get_local_id(0) == 0)
        any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v < n) {
        int lowest = INT_MAX;
        for (uint i = 0; i < LINKS; i++) {
            int other = before[links[v * LINKS + i]];
            if (other >= 0)
                lowest = min(lowest, other + 1);
        }
        bool found = before[v] < 0 && lowest < INT_MAX;
        after[v] = found ? lowest : before[v];
        if (found)
            atomic_or(&any, 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && any)
        changed[0] = 1;
}

kernel void store(global const int *level, global int *to, uint s, uint n)
{
    uint v = get_global_id(0);
    if (v < n)
        to[s * n + v] = level[v];
}
