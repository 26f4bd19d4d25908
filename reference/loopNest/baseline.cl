// Baseline: the body of the outer loop without a change, one tank per work-item. Each tank has a separate contiguous
// temporary, so neighbouring work-items use words that are far apart.
__kernel void naiveNest(__global const real *inflow, __global real *levels, __global real *gains,
                        uint32_t days, uint32_t tanks)
{
    const uint32_t t = get_global_id(0);
    if (t >= tanks)
        return;

    __global real *level = levels + t * days;
    level[0] = fmax(inflow[t], (real)0);
    for (uint32_t d = 1; d < days; d++)
        level[d] = fmax(level[d - 1] + inflow[d * tanks + t], (real)0);
    for (uint32_t d = 0; d < days; d++)
        gains[d * tanks + t] = level[days - 1] - level[d];
}
