// 16 work-items of 128 count all bytes of a group
__kernel void histogram(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    __local uint32_t part[BINS];
    const uint32_t lid = get_local_id(0);
    if (lid < 16)
        for (uint32_t b = lid; b < BINS; b += 16)
            part[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 16) {
        const uint32_t quads = n / 8, gid = get_group_id(0) * 16 + lid, grid = GROUPS * 16;
        for (uint32_t q = gid; q < quads; q += grid) {
            const uchar8 f = vload8(q, data);
            atomic_inc(&part[f.s0]); atomic_inc(&part[f.s1]); atomic_inc(&part[f.s2]); atomic_inc(&part[f.s3]);
            atomic_inc(&part[f.s4]); atomic_inc(&part[f.s5]); atomic_inc(&part[f.s6]); atomic_inc(&part[f.s7]);
        }
        for (uint32_t i = 8 * quads + gid; i < n; i += grid)
            atomic_inc(&part[data[i]]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 16)
        for (uint32_t b = lid; b < BINS; b += 16)
            atomic_add(&counts[b], part[b]);
}
