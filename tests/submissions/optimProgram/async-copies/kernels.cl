// The hardware copies the block, one row at a time. The arguments are the same for all work-items
// of the group, as async_work_group_copy requires.
__kernel void optimProgram(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real blk[PRG_WGSIZE][CHUNK + 1];
    const uint32_t lid = get_local_id(0);
    const uint32_t top = get_group_id(0) * PRG_WGSIZE;
    const uint32_t rows = min((uint32_t)PRG_WGSIZE, height - top);
    real accum = 0;

    for (uint32_t left = 0; left < width; left += CHUNK) {
        const uint32_t cols = min((uint32_t)CHUNK, width - left);

        event_t copied = 0;
        for (uint32_t r = 0; r < rows; r++)
            copied = async_work_group_copy(blk[r], A + (top + r) * width + left, cols, copied);
        wait_group_events(1, &copied);

        if (lid < rows)
            for (uint32_t c = 0; c < cols; c++) {
                const real a = blk[lid][c];
                blk[lid][c] = accum = a * a - accum;
            }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t r = lid / CHUNK, c = lid % CHUNK; r < rows; r += PRG_WGSIZE / CHUNK)
            if (c < cols)
                B[(top + r) * width + left + c] = blk[r][c];
        barrier(CLK_LOCAL_MEM_FENCE);    // before the next chunk is copied over this one
    }
}
