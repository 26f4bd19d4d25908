// Model solution: matrix product tiled in registers and in local memory.
//
// A group of RT*RT work-items computes RT rows of RT*RT results. Each work-item owns one column
// and keeps its RT results in registers. The group walks along K RT steps at a time: it stages
// an RT x RT tile of A in local memory, then each work-item reads one word of B (coalesced) and
// uses it RT times, against one word of the tile each.
__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[RT][RT + 1];

    const uint32_t lid = get_local_id(0);
    const uint32_t row0 = get_group_id(1) * RT;            // first row of the group
    const uint32_t col = get_group_id(0) * RT * RT + lid;  // this work-item's column
    const uint32_t tileRow = lid / RT;                     // the word of the tile that it stages
    const uint32_t tileCol = lid % RT;

    real cs[RT];
    for (uint32_t r = 0; r < RT; r++)
        cs[r] = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        const bool inside = row0 + tileRow < heightA && k0 + tileCol < widthA;
        Ash[tileRow][tileCol] = inside ? A[(row0 + tileRow) * widthA + (k0 + tileCol)] : (real)0;

        barrier(CLK_LOCAL_MEM_FENCE);    // the tile is complete before anyone reads it

        for (uint32_t k = 0; k < RT; k++) {
            const real b = (k0 + k < widthA && col < widthB) ? B[(k0 + k) * widthB + col] : (real)0;
            for (uint32_t r = 0; r < RT; r++)
                cs[r] += Ash[r][k] * b;
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // everyone has read it before the next step overwrites it
    }

    for (uint32_t r = 0; r < RT; r++)
        if (row0 + r < heightA && col < widthB)
            C[(row0 + r) * widthB + col] = cs[r];
}
