__kernel void coalsProgrm(__global const real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    __local real in[8][PRG_WGSIZE], out[8][PRG_WGSIZE];
    const uint32_t lid = get_local_id(0), first = get_group_id(0) * PRG_WGSIZE;
    const uint32_t rows = min((uint32_t)PRG_WGSIZE, height - first);
    real accum = 0;
    for (uint32_t col = 0; col < width; col += 8) {
        const uint32_t cols = min(8u, width - col);
        event_t loaded = 0, stored = 0;
        for (uint32_t c = 0; c < cols; c++)
            loaded = async_work_group_copy(in[c], Atr + (col + c) * height + first, rows, loaded);
        wait_group_events(1, &loaded);
        if (lid < rows)
            for (uint32_t c = 0; c < cols; c++) {
                const real a = in[c][lid];
                out[c][lid] = accum = a * a - accum;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t c = 0; c < cols; c++)
            stored = async_work_group_copy(Btr + (col + c) * height + first, out[c], rows, stored);
        wait_group_events(1, &stored);
    }
}
