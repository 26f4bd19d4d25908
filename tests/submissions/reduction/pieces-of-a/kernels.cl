// every work-item sums its own piece of A
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    uint32_t lid = get_local_id(0);
    uint32_t items = get_global_size(0);
    uint32_t piece = n / items + (n % items != 0);
    uint32_t begin = min((uint32_t)get_global_id(0) * piece, n);
    uint32_t end = min(begin + piece, n);

    real sum = 0;
    for (uint32_t i = begin; i < end; i++)
        sum += A[i];

    scratch[lid] = sum;
    for (uint32_t s = WG / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < s)
            scratch[lid] += scratch[lid + s];
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
