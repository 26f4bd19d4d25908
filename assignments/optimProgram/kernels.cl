// optimProgram: the row recurrence on A as it is, coalesced through local memory.
//
// For each row of A:  accum = 0, then for each column: accum = a*a - accum, and B gets accum.
// A and B are height x width, row-major. A work-group owns PRG_WGSIZE rows, a work-item one of
// them. The group walks over its rows CHUNK columns at a time: copy in, compute, copy out.
//
// Launch:   work-group (PRG_WGSIZE), global (ceil(height/PRG_WGSIZE)*PRG_WGSIZE).
// Defined:  real (float), PRG_WGSIZE (128), CHUNK (16; it divides PRG_WGSIZE), uint32_t (uint).
//
// Work-items past the last row must reach every barrier too: do not return early.
// You may add a last parameter `__local real *lmem`: it gets PRG_WGSIZE*(CHUNK+1) elements.
__kernel void optimProgram(__global const real *A, __global real *B,
                           uint32_t height, uint32_t width)
{
    // One block of the group's rows, with one column more than it needs:
    // __local real block[PRG_WGSIZE][CHUNK + 1];

    // TODO: for each CHUNK columns: the group copies its block of A in, coalesced,
    // TODO: each work-item runs the recurrence over its own row of the block,
    // TODO: the group copies the block out to B, coalesced. Where must the barriers stand?
}
