__kernel void tankLevels(__global const int *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    const uint32_t tank = get_global_id(0);
    if (tank >= tanks)
        return;

    real level = fmax((real)inflow[tank], (real)0);
    levels[tank] = level;
    for (uint32_t day = 1; day < days; day++) {
        const uint32_t at = day * tanks + tank;
        level = fmax(level + inflow[at], (real)0);
        levels[at] = level;
    }
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const uint32_t tank = get_global_id(0);
    const uint32_t at = get_global_id(1) * tanks + tank;
    const uint32_t last = (days - 1) * tanks + tank;
    if (tank < tanks)
        gains[at] = levels[last] - levels[at];
}
