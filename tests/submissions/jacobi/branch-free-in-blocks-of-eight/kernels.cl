__kernel void jacobiBranchFree(__global const real *At, __global const real *b, __global const real *xold,
                               __global real *xnew, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    real sum = 0;
    for (uint32_t first = 0; first < n; first += 8) {
        if (first / 8 != i / 8) {
            for (uint32_t j = first; j < min(first + 8, n); j++)
                sum += At[j * n + i] * xold[j];
        } else {
            for (uint32_t j = first; j < min(first + 8, n); j++)
                sum += j == i ? (real)0 : At[j * n + i] * xold[j];
        }
    }
    xnew[i] = (b[i] - sum) / At[i * n + i];
}

__kernel void change(__global const real *xold, __global const real *xnew, __global real *sums, uint32_t n,
                     __local real *scratch)
{
    const uint32_t i = get_global_id(0);
    const uint32_t lid = get_local_id(0);

    const real difference = i < n ? xnew[i] - xold[i] : (real)0;
    scratch[lid] = difference * difference;

    for (uint32_t stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);    // the values of the step before are stored
        if (lid < stride)
            scratch[lid] += scratch[lid + stride];
    }

    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
