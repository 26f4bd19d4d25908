// Each work-item counts and moves the keys of one digit.
kernel void countDigits(global uint *keys, global uint *counts, uint n, uint tiles, uint shift)
{
    uint d = get_local_id(0), t = get_group_id(0), c = 0;
    if (d >= DIGITS) return;
    for (uint i = t*TILE; i < n && i < (t+1)*TILE; i++)
        if ((keys[i] >> shift) % DIGITS == d) c++;
    counts[d*tiles + t] = c;
}

kernel void scanCounts(global uint *counts, uint m)
{
    if (get_local_id(0) > 0) return;
    uint s = 0;
    for (uint i = 0; i < m; i++) {
        uint c = counts[i];
        counts[i] = s;
        s += c;
    }
}

kernel void scatter(global uint *keys, global uint *counts, global uint *to, uint n, uint tiles, uint shift)
{
    uint d = get_local_id(0), t = get_group_id(0);
    if (d >= DIGITS) return;
    uint p = counts[d*tiles + t];
    for (uint i = t*TILE; i < n && i < (t+1)*TILE; i++)
        if ((keys[i] >> shift) % DIGITS == d) to[p++] = keys[i];
}
