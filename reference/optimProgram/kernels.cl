// Model solution: the row recurrence on the original layout, coalesced through local memory.
//
// A work-group owns PRG_WGSIZE rows and walks over them CHUNK columns at a time. The group
// copies a PRG_WGSIZE x CHUNK block in, each work-item runs the recurrence over its own row
// of the block, and the group copies the block back. In the copies, CHUNK neighbouring
// work-items touch CHUNK neighbouring words of one row.
__kernel void optimProgram(__global const real *A, __global real *B,
                           uint32_t height, uint32_t width)
{
    __local real block[PRG_WGSIZE][CHUNK + 1];

    const uint32_t lid = get_local_id(0);
    const uint32_t row0 = get_group_id(0) * PRG_WGSIZE;    // first row of the group
    const uint32_t copyCol = lid % CHUNK;                  // this work-item's column in the copies
    const uint32_t copyRow = lid / CHUNK;                  // and its first row
    const uint32_t rowStep = PRG_WGSIZE / CHUNK;           // rows copied at a time

    real accum = 0;
    for (uint32_t col0 = 0; col0 < width; col0 += CHUNK) {
        const uint32_t col = col0 + copyCol;

        for (uint32_t r = copyRow; r < PRG_WGSIZE; r += rowStep)
            if (row0 + r < height && col < width)
                block[r][copyCol] = A[(row0 + r) * width + col];

        barrier(CLK_LOCAL_MEM_FENCE);    // the block is complete before anyone computes on it

        const uint32_t cols = min((uint32_t)CHUNK, width - col0);
        if (row0 + lid < height)
            for (uint32_t c = 0; c < cols; c++) {
                const real a = block[lid][c];
                accum = a * a - accum;
                block[lid][c] = accum;
            }

        barrier(CLK_LOCAL_MEM_FENCE);    // every result is in the block before it is copied back

        for (uint32_t r = copyRow; r < PRG_WGSIZE; r += rowStep)
            if (row0 + r < height && col < width)
                B[(row0 + r) * width + col] = block[r][copyCol];

        // No third barrier: a work-item refills exactly the words it has just copied back.
    }
}
