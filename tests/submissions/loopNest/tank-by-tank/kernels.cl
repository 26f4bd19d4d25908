// level[d] of tank t is levels[t][d]
__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    uint32_t t = get_global_id(0);
    if (t < tanks) {
        real now = 0;
        for (uint32_t d = 0; d < days; d++) {
            now = fmax(now + inflow[d * tanks + t], 0.0f);
            levels[t * days + d] = now;
        }
    }
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    uint32_t t = get_global_id(0), d = get_global_id(1);
    if (t < tanks) {
        __global const real *level = &levels[t * days];
        gains[d * tanks + t] = level[days - 1] - level[d];
    }
}
