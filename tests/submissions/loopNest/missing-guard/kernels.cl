__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    uint32_t t = get_global_id(0);
    if (t >= tanks) return;
    real x = 0;
    for (uint32_t d = 0; d < days; d++) {
        x += inflow[d * tanks + t];
        x = x > 0 ? x : 0;
        levels[d * tanks + t] = x;
    }
}

// two dimensions of work-items, two dimensions of levels
__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    uint32_t t = get_global_id(0);
    uint32_t d = get_global_id(1);
    if (d < days)
        gains[d * tanks + t] = levels[(days - 1) * tanks + t] - levels[d * tanks + t];
}
