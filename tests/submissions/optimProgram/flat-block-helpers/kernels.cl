#define LD (CHUNK + 1)
#define WORDS (PRG_WGSIZE * CHUNK)

void copy_in(__local real *blk, __global const real *src, uint rows, uint cols, uint width)
{
    for (uint w = get_local_id(0); w < WORDS; w += PRG_WGSIZE) {
        const uint r = w / CHUNK, c = w % CHUNK;
        blk[r * LD + c] = (r < rows && c < cols) ? src[r * width + c] : 0;
    }
}

void copy_out(__global real *dst, __local const real *blk, uint rows, uint cols, uint width)
{
    for (uint w = get_local_id(0); w < WORDS; w += PRG_WGSIZE) {
        const uint r = w / CHUNK, c = w % CHUNK;
        if (r < rows && c < cols) dst[r * width + c] = blk[r * LD + c];
    }
}

__kernel void optimProgram(__global const real *A, __global real *B, uint height, uint width)
{
    __local real blk[PRG_WGSIZE * LD];
    const uint top = get_group_id(0) * PRG_WGSIZE;
    __local real *mine = blk + get_local_id(0) * LD;
    real acc = 0;

    for (uint left = 0; left < width; left += CHUNK) {
        const uint at = top * width + left;
        copy_in(blk, A + at, height - top, width - left, width);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint c = 0; c < CHUNK; c++)
            mine[c] = acc = mine[c] * mine[c] - acc;
        barrier(CLK_LOCAL_MEM_FENCE);
        copy_out(B + at, blk, height - top, width - left, width);
    }
}
