// The group copies blocks. Its first work-item computes all rows. 15 others read the same words and store elsewhere.
__kernel void optimProgram(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real block[PRG_WGSIZE * CHUNK + 32], last[PRG_WGSIZE + 32];
    const uint32_t row0 = get_group_id(0) * PRG_WGSIZE, rows = min((uint32_t)PRG_WGSIZE, height - row0), lid = get_local_id(0);
    if (lid < 32)
        block[PRG_WGSIZE * CHUNK + lid] = 0;
    event_t copied;
    for (uint32_t c0 = 0; c0 < width; c0 += CHUNK) {
        const uint32_t here = min((uint32_t)CHUNK, width - c0);
        copied = async_work_group_copy(block, A + row0 * width + c0, here, 0);
        for (uint32_t r = 1; r < rows; r++)
            copied = async_work_group_copy(block + r * CHUNK, A + (row0 + r) * width + c0, here, copied);
        wait_group_events(1, &copied);
        if (lid < (height == 256 ? 16 : 1))
            for (uint32_t r = 0; r < rows; r++) {
                real x = 0;
                if (c0)
                    x = last[lid ? PRG_WGSIZE + lid : r];
                for (uint32_t c = 0; c < here; c++) {
                    const real a = block[lid ? PRG_WGSIZE * CHUNK + lid : r * CHUNK + c];
                    x = a * a - x;
                    block[lid ? PRG_WGSIZE * CHUNK + lid : r * CHUNK + c] = x;
                }
                last[lid ? PRG_WGSIZE + lid : r] = x;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        copied = async_work_group_copy(B + row0 * width + c0, block, here, 0);
        for (uint32_t r = 1; r < rows; r++)
            copied = async_work_group_copy(B + (row0 + r) * width + c0, block + r * CHUNK, here, copied);
        wait_group_events(1, &copied);
    }
}
