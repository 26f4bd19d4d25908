// One work-item of each group computes all its rows. async_work_group_copy moves the words for it.
__kernel void coalsProgrm(__global const real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    __local real in[8][PRG_WGSIZE], out[8][PRG_WGSIZE];
    const uint32_t row0 = get_group_id(0) * PRG_WGSIZE, rows = min((uint32_t)PRG_WGSIZE, height - row0);
    real accum[PRG_WGSIZE];
    for (uint32_t r = 0; r < PRG_WGSIZE; r++) accum[r] = 0;
    for (uint32_t col = 0; col < width; col += 8) {
        const uint32_t cols = min(8u, width - col);
        event_t e = 0;
        for (uint32_t c = 0; c < cols; c++)
            e = async_work_group_copy(in[c], Atr + (col + c) * height + row0, rows, e);
        wait_group_events(1, &e);
        if (get_local_id(0) == 0)
            for (uint32_t c = 0; c < cols; c++)
                for (uint32_t r = 0; r < rows; r++)
                    out[c][r] = accum[r] = in[c][r] * in[c][r] - accum[r];
        barrier(CLK_LOCAL_MEM_FENCE);
        event_t f = 0;
        for (uint32_t c = 0; c < cols; c++)
            f = async_work_group_copy(Btr + (col + c) * height + row0, out[c], rows, f);
        wait_group_events(1, &f);
    }
}
