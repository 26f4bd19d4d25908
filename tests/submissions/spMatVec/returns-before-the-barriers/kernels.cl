__kernel void spMatVec(__global const uint32_t *starts, __global const uint32_t *places, __global const real *values,
                       __global const real *x, __global real *y, uint32_t rows)
{
    __local real sums[ROWS][LANES];

    const uint32_t lane = get_local_id(0);
    const uint32_t row = get_global_id(1);
    __local real *own = sums[get_local_id(1)];

    if (row >= rows)
        return;
    real sum = 0;
    {
        const uint32_t end = starts[row + 1];
        for (uint32_t e = starts[row] + lane; e < end; e += LANES)
            sum += values[e] * x[places[e]];
    }
    own[lane] = sum;

    for (uint32_t width = LANES / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);    // the step before is complete
        if (lane < width)
            own[lane] += own[lane + width];
    }

    if (lane == 0 && row < rows)    // it added the last two sums itself
        y[row] = own[0];
}
