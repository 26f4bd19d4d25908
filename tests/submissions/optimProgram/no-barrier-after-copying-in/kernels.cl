typedef uint uint32_t;

__kernel void optimProgram(__global real* A, __global real* B, uint32_t height, uint32_t width) {
    __local real blk[PRG_WGSIZE][CHUNK+1];
    uint32_t lid  = get_local_id(0);
    uint32_t row0 = get_group_id(0) * PRG_WGSIZE;
    uint32_t x = lid % CHUNK;
    uint32_t y = lid / CHUNK;
    real accum = 0.0;

    for (uint32_t jj = 0; jj < width; jj += CHUNK) {
        for (uint32_t i = y; i < PRG_WGSIZE; i += PRG_WGSIZE/CHUNK) {
            real a = 0.0;
            if (row0 + i < height && jj + x < width)
                a = A[(row0+i)*width + jj + x];
            blk[i][x] = a;
        }
        // each work-item now has its row
        for (uint32_t k = 0; k < CHUNK; k++) {
            accum = blk[lid][k]*blk[lid][k] - accum;
            blk[lid][k] = accum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t i = y; i < PRG_WGSIZE; i += PRG_WGSIZE/CHUNK)
            if (row0 + i < height && jj + x < width)
                B[(row0+i)*width + jj + x] = blk[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
