// One work-item goes through all tanks.
__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    for (uint32_t t = 0; get_global_id(0) == 0 && t < tanks; t++) {
        real level = 0;
        for (uint32_t d = 0; d < days; d++) {
            level = fmax(level + inflow[d * tanks + t], (real)0);
            levels[d * tanks + t] = level;
        }
    }
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    if (get_global_id(0) > 0 || get_global_id(1) > 0)
        return;

    for (uint32_t d = 0; d < days; d++)
        for (uint32_t t = 0; t < tanks; t++)
            gains[d * tanks + t] = levels[(days - 1) * tanks + t] - levels[d * tanks + t];
}
