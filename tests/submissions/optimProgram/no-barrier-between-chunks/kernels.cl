// The copies in and out each have a barrier. The copy out starts with the last row, because the
// rows that were used last are still in the cache.
#define STEP (PRG_WGSIZE / CHUNK)

__kernel void optimProgram(__global real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real blk[PRG_WGSIZE][CHUNK + 1];
    int lid = get_local_id(0);
    int x = lid % CHUNK, y = lid / CHUNK;
    int top = get_group_id(0) * PRG_WGSIZE;
    real accum = 0;

    for (int left = 0; left < width; left += CHUNK) {
        for (int r = y; r < PRG_WGSIZE; r += STEP)
            blk[r][x] = (top + r < height && left + x < width)
                      ? A[(top + r) * width + left + x] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < CHUNK; k++) {
            real a = blk[lid][k];
            blk[lid][k] = accum = a * a - accum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int r = PRG_WGSIZE - 1 - y; r >= 0; r -= STEP)
            if (top + r < height && left + x < width)
                B[(top + r) * width + left + x] = blk[r][x];
    }
}
