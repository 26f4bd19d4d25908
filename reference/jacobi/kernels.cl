// Model solution: a step of the Jacobi iteration in four ways, and the test for convergence.
//
// A step multiplies the matrix by a vector, one row per work-item. Its speed depends on the reads of the matrix. By
// rows, neighbouring work-items are n words apart. By columns, they are next to each other. There are n work-items, too
// few to hide the latency of memory. So each work-item needs several reads under way.

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

__kernel void jacobiColumn(__global const real *At, __global const real *b, __global const real *xold,
                           __global real *xnew, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    real sum = 0;
    for (uint32_t j = 0; j < n; j++)
        if (j != i)
            sum += At[j * n + i] * xold[j];
    xnew[i] = (b[i] - sum) / At[i * n + i];
}

// All products are added. The product on the diagonal is subtracted at the end.
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
    xnew[i] = (b[i] - (sum - diagonal * xold[i])) / diagonal;
}

// Four independent sums. If n is not a multiple of four, the remaining columns come at the end.
__kernel void jacobiUnrolled(__global const real *At, __global const real *b, __global const real *xold,
                             __global real *xnew, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    real sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    uint32_t j = 0;
    for (; j + 4 <= n; j += 4) {
        sum0 += At[j * n + i] * xold[j];
        sum1 += At[(j + 1) * n + i] * xold[j + 1];
        sum2 += At[(j + 2) * n + i] * xold[j + 2];
        sum3 += At[(j + 3) * n + i] * xold[j + 3];
    }
    for (; j < n; j++)
        sum0 += At[j * n + i] * xold[j];

    const real diagonal = At[i * n + i];
    const real sum = (sum0 + sum1) + (sum2 + sum3);
    xnew[i] = (b[i] - (sum - diagonal * xold[i])) / diagonal;
}

// Half of the work-items add the values of the other half to their own, then half of these, until one value is left.
// The first work-items are always those that still add, so whole warps finish together.
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
