__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    if (t >= tanks)
        return;

    for (uint32_t d = 0; d < days; d++)
        levels[d * tanks + t] = inflow[d * tanks + t];
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    if (get_global_id(1) > 0 || t >= tanks)
        return;

    real last = 0, level = 0;
    for (uint32_t d = 0; d < days; d++)
        last = fmax(last + levels[d * tanks + t], (real)0);
    for (uint32_t d = 0; d < days; d++) {
        level = fmax(level + levels[d * tanks + t], (real)0);
        gains[d * tanks + t] = last - level;
    }
}
