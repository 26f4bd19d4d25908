__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    if (t >= tanks)
        return;

    real last = 0, level = 0;
    for (uint32_t d = 0; d < days; d++)
        last = fmax(last + inflow[d * tanks + t], (real)0);
    for (uint32_t d = 0; d < days; d++) {
        level = fmax(level + inflow[d * tanks + t], (real)0);
        levels[d * tanks + t] = last - level;
    }
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    const uint32_t d = get_global_id(1);
    if (t < tanks)
        gains[d * tanks + t] = levels[d * tanks + t];
}
