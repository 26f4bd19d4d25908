#define W (CHUNK + 1)
// the block and one word of padding against bank conflicts
#define BLOCK_WORDS (PRG_WGSIZE * CHUNK + 1)

__kernel void optimProgram(__global real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real b[BLOCK_WORDS];
    uint32_t lid = get_local_id(0), x = lid % CHUNK;
    uint32_t top = get_group_id(0) * PRG_WGSIZE;
    real acc = 0;
    for (uint32_t c = 0; c < width; c += CHUNK) {
        for (uint32_t r = lid / CHUNK; r < PRG_WGSIZE; r += PRG_WGSIZE / CHUNK)
            b[r * W + x] = (top + r < height && c + x < width) ? A[(top + r) * width + c + x] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < CHUNK; k++) {
            real v = b[lid * W + k];
            b[lid * W + k] = acc = v * v - acc;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t r = lid / CHUNK; r < PRG_WGSIZE; r += PRG_WGSIZE / CHUNK)
            if (top + r < height && c + x < width) B[(top + r) * width + c + x] = b[r * W + x];
    }
}
