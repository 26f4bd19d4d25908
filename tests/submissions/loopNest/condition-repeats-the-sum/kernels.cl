__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    if (t >= tanks)
        return;

    real level = 0;
    for (uint32_t d = 0; d < days; d++) {
        const real in = inflow[d * tanks + t];
        level = level + in > 0 ? level + in : 0;
        levels[d * tanks + t] = level;
    }
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    const uint32_t d = get_global_id(1);
    if (t < tanks)
        gains[d * tanks + t] = levels[(days - 1) * tanks + t] - levels[d * tanks + t];
}
