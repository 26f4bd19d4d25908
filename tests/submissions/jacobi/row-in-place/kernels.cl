// update x in place: later rows even profit from the better values
__kernel void jacobiRow(__global real *A, __global real *b, __global real *xold, __global real *xnew, uint32_t n)
{
    uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    real sum = 0;
    for (uint32_t j = 0; j < n; j++)
        if (j != i)
            sum += A[i * n + j] * xold[j];
    real x = (b[i] - sum) / A[i * n + i];
    xold[i] = x;
    xnew[i] = x;
}

__kernel void change(__global const real *xold, __global const real *xnew, __global real *sums, uint32_t n,
                     __local real *scratch)
{
    uint32_t i = get_global_id(0), lid = get_local_id(0);
    real d = i < n ? xnew[i] - xold[i] : 0;
    scratch[lid] = d * d;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (lid < s)
            scratch[lid] += scratch[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
