// tankLevels, tankGains: a loop nest over tanks, with a temporary array, made parallel.
//
//     float level[days];                                           // reused by every tank
//     for (t = 0; t < tanks; t++) {
//         level[0] = max(inflow[0][t], 0);
//         for (d = 1; d < days; d++)
//             level[d] = max(level[d - 1] + inflow[d][t], 0);
//         for (d = 0; d < days; d++)
//             gains[d][t] = level[days - 1] - level[d];
//     }
//
// inflow and gains are days x tanks, row-major: inflow[d][t] is inflow[d * tanks + t].
// levels is the temporary with one dimension more, days * tanks words. Which of them tank t uses on day d is up to you.
// tankLevels does the first inner loop, tankGains the second.
//
// Launch:   tankLevels: work-group (WG), global (ceil(tanks/WG)*WG): one work-item a tank.
//           tankGains: work-group (WG, 1), global (ceil(tanks/WG)*WG, days): one work-item a day of a tank;
//           dimension 0 runs along the tanks, dimension 1 along the days.
// Defined:  real (float), WG (128), uint32_t (uint).
__kernel void tankLevels(__global const real *inflow, __global real *levels, uint32_t days, uint32_t tanks)
{
    // TODO: the levels of one tank, day after day
    // TODO: where do neighbouring work-items read and write at the same time?
}

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    // TODO: what the tank gains from this day to the last
}
