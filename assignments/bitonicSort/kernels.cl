// bitonicSort: sort n whole numbers into ascending order, by steps that compare and exchange pairs.
//
// The step (k, j) compares data[i] with data[i + j], for every i that lacks the bit j: (i & j) == 0.
// The smaller number goes to i if (i & k) == 0, and to i + j otherwise.
// All steps in their order: for k = 2, 4, 8, ..., n, and for each k: j = k/2, k/4, ..., 1.
//
// bitonicFar does one step, and is launched for every step with j >= BLOCK.
// bitonicNear does all steps with j < BLOCK, for k = first, 2*first, ..., last. Elements that such a step
// compares lie in the same BLOCK, so a work-group loads its block, does the steps in local memory, and stores it.
//
// Launch:   work-group (WG), global (ceil(n/2/WG)*WG): a work-item for every pair. n is a power of two.
// Defined:  WG (256), BLOCK (512, which is 2*WG), uint32_t (uint).
__kernel void bitonicNear(__global int *data, uint32_t n, uint32_t first, uint32_t last)
{
    // __local int block[BLOCK];

    // TODO: load the block of this group; n may be smaller than a block
    // TODO: for each k and each j < BLOCK: which pair is this work-item's? Where must barriers be?
    // TODO: store the block
}

__kernel void bitonicFar(__global int *data, uint32_t n, uint32_t k, uint32_t j)
{
    // TODO: which pair is this work-item's, and in which direction is it sorted?
}
