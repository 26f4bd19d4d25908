// Each column has a test of the loop. Four of them are in one line, by a macro.
__kernel void jacobiUnrolled(__global const real *At, __global const real *b, __global const real *xold,
                             __global real *xnew, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    real sum = 0;
    uint32_t j = 0;
#define STEP if (j == n) break; sum += At[j * n + i] * xold[j]; j++;
    for (;;) { STEP STEP STEP STEP }

    const real diagonal = At[i * n + i];
    xnew[i] = (b[i] - (sum - diagonal * xold[i])) / diagonal;
}

// Half of the work-items add the other half's values to their own, then half of those, until one value is left.
// The work-items that still add are always the first ones, so that whole warps run out of work together.
__kernel void change(__global const real *xold, __global const real *xnew, __global real *sums, uint32_t n,
                     __local real *scratch)
{
    const uint32_t i = get_global_id(0);
    const uint32_t lid = get_local_id(0);

    const real difference = i < n ? xnew[i] - xold[i] : (real)0;
    scratch[lid] = difference * difference;

    for (uint32_t stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);    // the values of the step before are there
        if (lid < stride)
            scratch[lid] += scratch[lid + stride];
    }

    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
