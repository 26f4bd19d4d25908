kernel void considerItem(global uint *w, global ulong *p, global ulong *old, global ulong *made, uint i, uint most)
{
    size_t c = get_global_id(0);
    if (c <= most) {
        ulong with = c >= w[i] ? old[c - w[i]] + p[i] : 0;
        made[c] = with > old[c] ? with : old[c];
    }
}
