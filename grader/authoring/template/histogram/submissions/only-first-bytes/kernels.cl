__kernel void @ASSIGNMENT@(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    __local uint bins[256];
    const uint32_t lid = get_local_id(0), i = get_group_id(0) * CHUNK + lid;
    bins[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        atomic_inc(&bins[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counts[lid], bins[lid]);
}
