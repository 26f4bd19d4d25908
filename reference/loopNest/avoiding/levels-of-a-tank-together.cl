// The temporary has a row for each tank, so neighbouring work-items are `days` words apart.
__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    if (t >= tanks)
        return;

    real level = 0;
    for (uint32_t d = 0; d < days; d++) {
        level = fmax(level + inflow[d * tanks + t], (real)0);
        levels[t * days + d] = level;
    }
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    const uint32_t d = get_global_id(1);
    if (t < tanks)
        gains[d * tanks + t] = levels[t * days + days - 1] - levels[t * days + d];
}
