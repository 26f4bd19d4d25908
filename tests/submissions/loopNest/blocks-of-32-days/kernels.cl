// Days in blocks of 32. A private array has the inflow of a block, another one its levels.
#define BLOCK 32

__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    if (t >= tanks)
        return;

    real in[BLOCK], out[BLOCK], level = 0;
    for (uint32_t first = 0; first < days; first += BLOCK) {
        const uint32_t many = min(days - first, (uint32_t)BLOCK);
        for (uint32_t k = 0; k < many; k++)
            in[k] = inflow[(first + k) * tanks + t];
        for (uint32_t k = 0; k < many; k++)
            out[k] = level = fmax(level + in[k], 0.0f);
        for (uint32_t k = 0; k < many; k++)
            levels[(first + k) * tanks + t] = out[k];
    }
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0), d = get_global_id(1);
    if (t < tanks)
        gains[d * tanks + t] = levels[(days - 1) * tanks + t] - levels[d * tanks + t];
}
