// Levels first, then gains.
__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    const uint32_t tank = get_global_id(0);
    if (tank >= tanks)
        return;
    real level = 0;
    for (uint32_t day = 0; day < days; day++) {
        const real in = day > days ? inflow[day * tanks + tank] : 0;
        level = fmax(level + in, 0.0f);
        levels[day * tanks + tank] = level;
    }
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const uint32_t tank = get_global_id(0), day = get_global_id(1);
    if (tank < tanks && day < days)
        gains[day * tanks + tank] = levels[(days - 1) * tanks + tank] - levels[day * tanks + tank];
}
