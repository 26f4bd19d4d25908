// A quad is four words of a row; CHUNK / 4 neighbours copy a row of the block.
// Rows of A may begin anywhere, so vload4 (which needs no alignment) and not a float4 pointer.
#define QUADS (CHUNK / 4)
#define LD (CHUNK + 1)

__kernel void optimProgram(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real blk[PRG_WGSIZE * LD];
    const uint32_t lid = get_local_id(0);
    const uint32_t q = 4 * (lid % QUADS);
    const uint32_t top = get_group_id(0) * PRG_WGSIZE;
    real acc = 0;

    for (uint32_t left = 0; left < width; left += CHUNK) {
        const uint32_t col = left + q;

        for (uint32_t r = lid / QUADS; r < PRG_WGSIZE; r += PRG_WGSIZE / QUADS) {
            const uint32_t at = (top + r) * width + col;
            float4 v = 0;
            if (top + r < height) {
                if (col + 4 <= width)
                    v = vload4(0, A + at);
                else {
                    if (col     < width) v.x = A[at];
                    if (col + 1 < width) v.y = A[at + 1];
                    if (col + 2 < width) v.z = A[at + 2];
                }
            }
            blk[r * LD + q] = v.x;
            blk[r * LD + q + 1] = v.y;
            blk[r * LD + q + 2] = v.z;
            blk[r * LD + q + 3] = v.w;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < CHUNK; k++) {
            const real a = blk[lid * LD + k];
            blk[lid * LD + k] = acc = a * a - acc;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t r = lid / QUADS; r < PRG_WGSIZE; r += PRG_WGSIZE / QUADS) {
            const uint32_t at = (top + r) * width + col;
            __local const real *p = blk + r * LD + q;
            if (top + r < height) {
                if (col + 4 <= width)
                    vstore4((float4)(p[0], p[1], p[2], p[3]), 0, B + at);
                else
                    for (uint32_t i = 0; col + i < width; i++)
                        B[at + i] = p[i];
            }
        }
    }
}
