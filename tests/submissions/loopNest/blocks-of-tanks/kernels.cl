// Each work-group has a block of levels, days x (tanks of the group). The last group may have fewer tanks
// than WG.
__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    const uint32_t first = get_group_id(0) * WG, lid = get_local_id(0);
    const uint32_t width = min((uint32_t)WG, tanks - first);
    if (lid >= width)
        return;

    __global real *const mine = levels + first * days + lid;
    real level = 0.0f;
    uint32_t d = 0;
    for (; d + 4 <= days; d += 4) {
        real next[4];
        for (uint32_t k = 0; k < 4; k++)
            next[k] = inflow[(d + k) * tanks + first + lid];
        for (uint32_t k = 0; k < 4; k++) {
            level = fmax(level + next[k], 0.0f);
            mine[(d + k) * width] = level;
        }
    }
    for (; d < days; d++) {
        level = fmax(level + inflow[d * tanks + first + lid], 0.0f);
        mine[d * width] = level;
    }
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const uint32_t first = get_group_id(0) * WG, lid = get_local_id(0), d = get_group_id(1);
    const uint32_t width = min((uint32_t)WG, tanks - first);
    __global const real *const mine = levels + first * days;
    if (lid < width)
        gains[d * tanks + get_global_id(0)] = mine[(days - 1) * width + lid] - mine[d * width + lid];
}
