// Model solution: the row recurrence on the original layout, coalesced through local memory.
//
// A work-group has PRG_WGSIZE rows and goes through them CHUNK columns at a time. The group
// copies a PRG_WGSIZE x CHUNK block in, each work-item runs the recurrence over its own row
// of the block, and the group copies the block back. In the copies, CHUNK neighbouring
// work-items access CHUNK neighbouring words of one row.
//
// A work-item copies CHUNK words of a block. It reads the words of the next block into registers
// before it computes on this one, so reads are always under way.
#define ROW_STEP (PRG_WGSIZE / CHUNK)    // rows copied at a time

__kernel void optimProgram(__global const real *restrict A, __global real *restrict B,
                           uint32_t height, uint32_t width)
{
    __local real block[PRG_WGSIZE][CHUNK + 1];

    const uint32_t lid = get_local_id(0);
    const uint32_t row0 = get_group_id(0) * PRG_WGSIZE;    // first row of the group
    const uint32_t copyCol = lid % CHUNK;                  // this work-item's column in the copies
    const uint32_t copyRow = lid / CHUNK;                  // and its first row

    real next[CHUNK];    // this work-item's words of the next block: zeros past an edge
    #pragma unroll
    for (uint32_t i = 0; i < CHUNK; i++) {
        const uint32_t row = row0 + copyRow + i * ROW_STEP;
        next[i] = (row < height && copyCol < width) ? A[row * width + copyCol] : (real)0;
    }

    real accum = 0;
    for (uint32_t col0 = 0; col0 < width; col0 += CHUNK) {
        #pragma unroll
        for (uint32_t i = 0; i < CHUNK; i++)
            block[copyRow + i * ROW_STEP][copyCol] = next[i];

        barrier(CLK_LOCAL_MEM_FENCE);    // the block is complete before a work-item uses it

        const uint32_t nextCol = col0 + CHUNK + copyCol;
        #pragma unroll
        for (uint32_t i = 0; i < CHUNK; i++) {
            const uint32_t row = row0 + copyRow + i * ROW_STEP;
            next[i] = (row < height && nextCol < width) ? A[row * width + nextCol] : (real)0;
        }

        #pragma unroll
        for (uint32_t c = 0; c < CHUNK; c++) {
            const real a = block[lid][c];
            accum = a * a - accum;
            block[lid][c] = accum;
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // every result is in the block before it is copied back

        #pragma unroll
        for (uint32_t i = 0; i < CHUNK; i++) {
            const uint32_t r = copyRow + i * ROW_STEP;
            if (row0 + r < height && col0 + copyCol < width)
                B[(row0 + r) * width + col0 + copyCol] = block[r][copyCol];
        }

        // No third barrier: a work-item refills exactly the words it has just copied back.
    }
}
