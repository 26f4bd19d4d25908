// Every work-item loads its own row, so it needs no barrier before it reads the row.
__kernel void optimProgram(__global real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real blk[PRG_WGSIZE][CHUNK + 1];
    uint32_t lid = get_local_id(0);
    uint32_t row = get_global_id(0);
    uint32_t top = get_group_id(0) * PRG_WGSIZE;
    real accum = 0;

    for (uint32_t c0 = 0; c0 < width; c0 += CHUNK) {
        for (uint32_t k = 0; k < CHUNK; k++)
            if (row < height && c0 + k < width)
                blk[lid][k] = A[row * width + c0 + k];

        for (uint32_t k = 0; k < CHUNK; k++)
            if (row < height && c0 + k < width) {
                accum = blk[lid][k] * blk[lid][k] - accum;
                blk[lid][k] = accum;
            }
        barrier(CLK_LOCAL_MEM_FENCE);

        // the stores are coalesced
        for (uint32_t r = lid / CHUNK; r < PRG_WGSIZE; r += PRG_WGSIZE / CHUNK)
            if (top + r < height && c0 + lid % CHUNK < width)
                B[(top + r) * width + c0 + lid % CHUNK] = blk[r][lid % CHUNK];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
