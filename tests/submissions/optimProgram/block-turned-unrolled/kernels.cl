// blk[column][row]: in the recurrence neighbours read neighbouring words, so no bank conflicts there
__kernel void optimProgram(__global const real* restrict A, __global real* restrict B,
                           uint32_t height, uint32_t width)
{
    __local real blk[CHUNK][PRG_WGSIZE + 1];
    const uint32_t me = get_local_id(0);
    const uint32_t c = me & (CHUNK - 1), r1 = me / CHUNK;
    const uint32_t row = get_group_id(0) * PRG_WGSIZE;
    const uint32_t rows = min((uint32_t)PRG_WGSIZE, height - row);
    real acc = 0;

    for (uint32_t first = 0; first < width; first += CHUNK) {
        const bool here = first + c < width;
        const uint32_t base = row * width + first + c;

        if (here)
            for (uint32_t r = r1; r < rows; r += PRG_WGSIZE / CHUNK)
                blk[c][r] = A[base + r * width];
        barrier(CLK_LOCAL_MEM_FENCE);

        // what lies beyond the edge is computed too, but never copied back
        for (uint32_t k = 0; k < CHUNK; k += 4) {
            real x = blk[k][me], y = blk[k+1][me], z = blk[k+2][me], w = blk[k+3][me];
            blk[k  ][me] = x = x*x - acc;
            blk[k+1][me] = y = y*y - x;
            blk[k+2][me] = z = z*z - y;
            blk[k+3][me] = acc = w*w - z;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (here)
            for (uint32_t r = r1; r < rows; r += PRG_WGSIZE / CHUNK)
                B[base + r * width] = blk[c][r];
    }
}
