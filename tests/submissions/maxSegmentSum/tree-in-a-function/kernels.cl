void append(Interval *left, const Interval *right)
{
    left->best = max(max(left->best, right->best), left->suffix + right->prefix);
    left->prefix = max(left->prefix, left->sum + right->prefix);
    left->suffix = max(right->suffix, right->sum + left->suffix);
    left->sum += right->sum;
}

Interval of_group(Interval own, __local Interval *scratch)
{
    const uint32_t lid = get_local_id(0);

    scratch[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t apart = 1; apart < WG; apart <<= 1) {
        const uint32_t left = lid * 2 * apart;
        if (left + apart < WG) {
            Interval a = scratch[left], b = scratch[left + apart];
            append(&a, &b);
            scratch[left] = a;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return scratch[0];
}

__kernel void reduceBlocks(__global const int *x, __global Interval *blocks, uint32_t n, __local int *words,
                           __local Interval *scratch)
{
    const uint32_t lid = get_local_id(0), group = get_group_id(0);
    Interval own = {0, 0, 0, 0};

    for (uint32_t i = lid; i < WG * ITEMS; i += WG) {
        const uint32_t at = group * WG * ITEMS + i;
        words[i] = at < n ? x[at] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t i = lid * ITEMS; i < (lid + 1) * ITEMS; i++) {
        const int word = words[i], kept = max(word, 0);
        const Interval next = {word, kept, kept, kept};
        append(&own, &next);
    }
    own = of_group(own, scratch);
    if (lid == 0)
        blocks[group] = own;
}

__kernel void reduceTops(__global const Interval *blocks, __global Interval *result, uint32_t count,
                         __local Interval *scratch)
{
    const uint32_t lid = get_local_id(0), piece = (count + WG - 1) / WG;
    Interval own = {0, 0, 0, 0};

    for (uint32_t i = lid * piece; i < min((lid + 1) * piece, count); i++) {
        const Interval next = blocks[i];
        append(&own, &next);
    }
    own = of_group(own, scratch);
    if (lid == 0)
        *result = own;
}
