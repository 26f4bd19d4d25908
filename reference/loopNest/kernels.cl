// Model solution: the loop nest as two kernels, with the temporary expanded by a dimension.
//
// Each tank has levels of its own, in column t of `levels`: day by day the work-items, which are neighbouring tanks,
// use neighbouring words of a row. Only the loop over days of tankLevels is left as a loop, since each level needs the
// one before; it stays in a register. tankGains has a work-item for every day of every tank.
//
// `restrict` says that the arrays do not overlap: only then may the compiler read inflow of the four days that it
// unrolls before it writes the first level.
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

__kernel void tankGains(__global const real *levels, __global real *gains, uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    const uint32_t d = get_global_id(1);
    if (t < tanks)
        gains[d * tanks + t] = levels[(days - 1) * tanks + t] - levels[d * tanks + t];
}
