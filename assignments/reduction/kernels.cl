// reduceSum: each work-group adds up its share of A and leaves one sum in sums[group].
//
// Launched twice: first GROUPS work-groups over the n words of A, which leave GROUPS sums; then one work-group over
// these sums, which leaves the result.
// Every work-item first adds up words of A that are a whole grid (get_global_size(0)) apart. Then the sums of a
// work-group are added in local memory, by a tree.
//
// Launch:   work-group (WG), global (GROUPS*WG), then (WG).
// Defined:  real (float), WG (128, always a power of two), uint32_t (uint).
//
// scratch is local memory of the work-group, WG words. Work-items for which no word of A is left add zero, and must
// reach every barrier.
__kernel void reduceSum(__global const real *A, __global real *sums, uint32_t n, __local real *scratch)
{
    // TODO: add up A[get_global_id(0)], and every word of A that lies a multiple of the grid further on
    // TODO: leave the sum in scratch
    // TODO: add the words of scratch in log2(WG) steps. Where must barriers stand, and why?
    // TODO: one work-item stores the sum of the group
}
