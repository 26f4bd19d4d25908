// No tree: every lane adds to one word of its row by compare-and-swap, 32 after one another.
__kernel void spMatVec(__global const uint32_t *starts, __global const uint32_t *places, __global const real *values,
                       __global const real *x, __global real *y, uint32_t rows)
{
    __local uint32_t sums[ROWS];
    const uint32_t lane = get_local_id(0), row = get_global_id(1);
    real sum = 0;
    if (row < rows) {
        const uint32_t end = starts[row + 1];
        for (uint32_t e = starts[row] + lane; e < end; e += LANES)
            sum += values[e] * x[places[e]];
    }
    __local uint32_t *own = &sums[get_local_id(1)];
    if (lane == 0) *own = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint32_t old = 0, seen;
    while ((seen = atomic_cmpxchg(own, old, as_uint(as_float(old) + sum))) != old)
        old = seen;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && row < rows) y[row] = as_float(*own);
}
