// Reads words of four bytes, and takes the bytes out of them by shifts.
__kernel void histogram(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    __local uint32_t part[BINS];
    const uint32_t lid = get_local_id(0), gid = get_global_id(0);
    __global const uint32_t *words = (__global const uint32_t *)data;

    for (uint32_t b = lid; b < BINS; b += WG)
        part[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint32_t w = gid; w < n / 4; w += GROUPS * WG) {
        uint32_t word = words[w];
        for (int byte = 0; byte < 4; byte++) {
            atomic_inc(part + (word & 0xFF));
            word >>= 8;
        }
    }
    if (gid < n % 4)
        atomic_inc(part + data[n - 1 - gid]);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint32_t b = lid; b < BINS; b += WG)
        atomic_add(counts + b, part[b]);
}
