// Two levels: a tree in each warp, then one work-item adds the sums of the warps.
__kernel void reduceSum(__global const float *A, __global float *sums, uint n, __local float *scratch)
{
    const uint me = get_local_id(0), lane = me % 32;
    float x = 0;
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        x += A[i];
    scratch[me] = x;
    for (uint w = 16; w; w /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < w)
            scratch[me] += scratch[me + w];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me == 0) {
        float sum = 0;
        for (uint w = 0; w < WG; w += 32)
            sum += scratch[w];
        sums[get_group_id(0)] = sum;
    }
}
