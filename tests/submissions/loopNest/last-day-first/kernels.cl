// levels are stored with the last day first, so that the first row has everything that a tank needs
size_t levelOf(size_t day, size_t tank, uint32_t days, uint32_t tanks)
{
    return (days - 1 - day) * tanks + tank;
}

__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    const size_t tank = get_global_id(0);
    if (tank < tanks) {
        __global const real *in = inflow + tank;
        real before = 0;
        for (size_t day = 0; day < days; day++, in += tanks)
            levels[levelOf(day, tank, days, tanks)] = before = max(before + *in, 0.0f);
    }
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const size_t tank = get_global_id(0), day = get_global_id(1);
    if (tank < tanks)
        gains[day * tanks + tank] = levels[tank] - levels[levelOf(day, tank, days, tanks)];
}
