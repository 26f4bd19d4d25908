// Model solution: a step of the Jacobi iteration in four ways, and the test for convergence.
//
// A step multiplies the matrix by a vector, one row a work-item: all it can win is in how it reads the matrix. By rows,
// neighbouring work-items are n words apart; by columns, side by side. There are only n work-items, too few to keep a
// GPU busy while it waits for memory: so what counts next is how many reads each has under way.

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

// All products are added, the one on the diagonal too, which is taken away at the end.
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

// Four sums that do not wait for each other; what is left where n is no multiple of four comes at the end.
__kernel void jacobiUnrolled(__global const real *At, __global const real *b, __global const real *xold,
                             __global real *xnew, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    real sum = 0;
    uint32_t j = 0;
#define PART(end) for (; j < (end); j++) sum += At[j * n + i] * xold[j];
    PART(n / 4) PART(n / 2) PART(3 * n / 4) PART(n)

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
