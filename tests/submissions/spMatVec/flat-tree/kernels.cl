// The sums of a group are in one array, and rows without work take part with no entries.
kernel void spMatVec(global const uint *restrict starts, global const uint *restrict places,
                     global const float *restrict values, global const float *restrict x, global float *restrict y, uint count)
{
    local float partial[LANES * ROWS];
    const size_t lane = get_local_id(0), row = get_global_id(1);
    const size_t mine = get_local_id(1) * LANES + lane;
    const uint from = row < count ? starts[row] : 0, to = row < count ? starts[row + 1] : 0;

    float total = 0.0f;
    for (size_t e = from + lane; e < to; e += LANES)
        total = fma(values[e], x[places[e]], total);
    partial[mine] = total;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int half_width = LANES >> 1; half_width != 0; half_width >>= 1) {
        if (lane < half_width) {
            total += partial[mine + half_width];
            partial[mine] = total;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (lane == 0 && row < count)
        y[row] = total;
}
