// the nest unchanged: levels is level, and the work-items replace the loop over t
__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    uint32_t t = get_global_id(0);
    if (t >= tanks)
        return;

    levels[0] = fmax(inflow[t], 0.0f);
    for (uint32_t d = 1; d < days; d++)
        levels[d] = fmax(levels[d - 1] + inflow[d * tanks + t], 0.0f);
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    uint32_t t = get_global_id(0);
    uint32_t d = get_global_id(1);
    if (t < tanks)
        gains[d * tanks + t] = levels[days - 1] - levels[d];
}
