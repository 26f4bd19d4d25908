// A block that n does not fill gets the largest number past the end, so that no step needs a guard. The direction is a
// mask, with which both numbers are exchanged or not.
void order(int *a, int *b, bool up)
{
    const int change = (*a ^ *b) & -((*a > *b) == up);
    *a ^= change;
    *b ^= change;
}

uint index_of(uint pair, uint j)
{
    const uint below = pair & (j - 1);
    return ((pair ^ below) << 1) | below;
}

kernel void bitonicNear(global int *data, uint n, uint first, uint last)
{
    local int part[BLOCK];
    const size_t me = get_local_id(0), at = get_group_id(0) * BLOCK;
    for (size_t i = me; i < BLOCK; i += WG)
        part[i] = at + i < n ? data[at + i] : INT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint k = first; k <= last; k += k) {
        for (uint j = k > BLOCK ? BLOCK / 2 : k / 2; j; j >>= 1) {
            const uint i = index_of(me, j);
            int a = part[i], b = part[i | j];
            order(&a, &b, !((at + i) & k));
            part[i] = a;
            part[i | j] = b;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    for (size_t i = me; i < BLOCK && at + i < n; i += WG)
        data[at + i] = part[i];
}

kernel void bitonicFar(global int *data, uint n, uint k, uint j)
{
    global int *one = data + index_of(get_global_id(0), j);
    int a = one[0], b = one[j];
    order(&a, &b, !((one - data) & k));
    one[0] = a;
    one[j] = b;
}
