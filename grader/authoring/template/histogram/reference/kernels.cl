// Model solution: each group counts its chunk in local memory, and adds its counts to global memory once.
__kernel void @ASSIGNMENT@(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    __local uint bins[256];
    const uint32_t lid = get_local_id(0), first = get_group_id(0) * CHUNK;
    for (uint32_t value = lid; value < 256; value += GROUP)
        bins[value] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t i = first + lid; i < min(first + CHUNK, n); i += GROUP)
        atomic_inc(&bins[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t value = lid; value < 256; value += GROUP)
        if (bins[value] > 0)
            atomic_add(&counts[value], bins[value]);
}
