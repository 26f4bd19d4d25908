// Baseline: A by rows, an `if` in the loop, and one work-item per group that adds up all changes.
__kernel void naiveJacobi(__global const real *A, __global const real *b, __global const real *xold,
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

__kernel void naiveChange(__global const real *xold, __global const real *xnew, __global real *sums, uint32_t n)
{
    if (get_local_id(0) != 0)
        return;

    const uint32_t first = get_global_id(0);
    const uint32_t end = min(first + (uint32_t)get_local_size(0), n);
    real sum = 0;
    for (uint32_t i = first; i < end; i++)
        sum += (xnew[i] - xold[i]) * (xnew[i] - xold[i]);
    sums[get_group_id(0)] = sum;
}
