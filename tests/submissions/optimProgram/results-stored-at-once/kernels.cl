#define ROWS_AT_ONCE (PRG_WGSIZE / CHUNK)

kernel void optimProgram(global const float *A, global float *B, uint height, uint width)
{
    local float in[PRG_WGSIZE][CHUNK + 1];
    const uint me = get_local_id(0);
    const uint row = get_global_id(0);
    const uint first = row - me;
    float accum = 0;

    for (uint left = 0; left < width; left += CHUNK) {
        const uint col = left + me % CHUNK;
        for (uint r = me / CHUNK; r < PRG_WGSIZE; r += ROWS_AT_ONCE)
            if (first + r < height && col < width)
                in[r][me % CHUNK] = A[(first + r) * width + col];
        barrier(CLK_LOCAL_MEM_FENCE);

        // no need to go back through local memory: the result is at hand here
        const uint cols = min((uint)CHUNK, width - left);
        if (row < height)
            for (uint c = 0; c < cols; c++) {
                accum = in[me][c] * in[me][c] - accum;
                B[row * width + left + c] = accum;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
