// a column of levels for each work-item
#define LEVEL(d, t) levels[(d) * tanks + (t)]

__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    const uint32_t lid = get_local_id(0);
    const uint32_t gid = get_global_id(0);
    if (gid >= tanks)
        return;
    real level = 0;
    for (uint32_t d = 0; d < days; d++) {
        level = fmax(level + inflow[d * tanks + gid], 0.0f);
        LEVEL(d, lid) = level;
    }
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const uint32_t lid = get_local_id(0);
    const uint32_t gid = get_global_id(0);
    const uint32_t d = get_global_id(1);
    if (gid < tanks)
        gains[d * tanks + gid] = LEVEL(days - 1, lid) - LEVEL(d, lid);
}
