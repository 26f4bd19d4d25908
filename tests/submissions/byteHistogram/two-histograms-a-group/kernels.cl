// Two histograms in each group, for work-items with even and odd numbers, so that fewer of them want the same count.
kernel void histogram(global const uchar *data, volatile global uint *counts, uint n)
{
    volatile local uint halves[2][BINS];
    const size_t me = get_local_id(0), all = get_global_size(0);
    for (size_t b = me; b < 2 * BINS; b += WG)
        halves[b / BINS][b % BINS] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    volatile local uint *own = halves[me & 1];
    const size_t whole = n / 4 * 4;
    for (size_t i = 4 * get_global_id(0); i < whole; i += 4 * all) {
        const uchar4 b = vload4(i / 4, data);
        atomic_inc(own + b.x);
        atomic_inc(own + b.y);
        atomic_inc(own + b.z);
        atomic_inc(own + b.w);
    }
    for (size_t i = whole + get_global_id(0); i < n; i += all)
        atomic_inc(own + data[i]);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (size_t b = me; b < BINS; b += WG) {
        const uint sum = halves[0][b] + halves[1][b];
        if (sum)
            atomic_add(counts + b, sum);
    }
}
