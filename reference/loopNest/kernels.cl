// Model solution: the loop nest as two kernels, with the temporary expanded by a dimension.
//
// Each tank has separate levels, in column t of `levels`. On each day the work-items, which are neighbouring tanks, use
// neighbouring words of a row. Only the loop over days in tankLevels stays a loop, because each level needs the level
// before, which stays in a register.
//
// The launch of tankGains has a work-item for every day of every tank. One word per work-item is too little to hide the
// latency of memory. So of DAYS groups that are neighbours along the days, one computes the days of all of them, and
// each of its work-items has DAYS reads under way. The others return at once. Which one computes differs between
// neighbouring groups along the tanks, so that groups with work start at an even pace.
//
// `restrict` says that the arrays do not overlap. Only then may the compiler read the words of several days before it
// writes the first result.
#define DAYS 4    // days that a work-item of tankGains computes

__kernel void tankLevels(__global const real *restrict inflow, __global real *restrict levels,
                         uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    if (t >= tanks)
        return;

    real level = 0;
    #pragma unroll 4
    for (uint32_t d = 0; d < days; d++) {
        level = fmax(level + inflow[d * tanks + t], (real)0);
        levels[d * tanks + t] = level;
    }
}

__kernel void tankGains(__global const real *restrict levels, __global real *restrict gains,
                        uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    const uint32_t first = get_group_id(1) / DAYS * DAYS;        // of these days
    const uint32_t count = min((uint32_t)DAYS, days - first);    // fewer at the end
    if (get_group_id(0) % count != get_group_id(1) - first)
        return;    // the whole group, because another group computes these days
    if (t >= tanks)
        return;

    const real last = levels[(days - 1) * tanks + t];
    #pragma unroll
    for (uint32_t i = 0; i < DAYS; i++)
        if (i < count)
            gains[(first + i) * tanks + t] = last - levels[(first + i) * tanks + t];
}
