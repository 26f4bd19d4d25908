__kernel void optimProgram(__global real* A, __global real* B,
                           uint32_t height, uint32_t width)
{
    __local real blk[PRG_WGSIZE][CHUNK + 1];
    uint32_t lid = get_local_id(0);
    uint32_t lrow = lid / CHUNK, lcol = lid % CHUNK;
    uint32_t base = get_group_id(0) * PRG_WGSIZE;
    real accum = 0;

    for (uint32_t j = 0; j < width; j += CHUNK) {
        // every work-item brings one word
        if (base + lrow < height && j + lcol < width)
            blk[lrow][lcol] = A[(base + lrow)*width + j + lcol];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < CHUNK; k++) {
            real a = blk[lid][k];
            accum = a*a - accum;
            blk[lid][k] = accum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t r = lrow; r < PRG_WGSIZE; r += PRG_WGSIZE/CHUNK)
            if (base + r < height && j + lcol < width)
                B[(base + r)*width + j + lcol] = blk[r][lcol];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
