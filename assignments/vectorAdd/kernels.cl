// vectorAdd: C = A + B.
//
// A, B and C have n elements each.
//
// Launch:   yours to state, in the two lines below: work-items in all, and work-items of a group. They may
//           use n and ceil_to, ceil_div, min and max. The sizes that stand there are allowed, and useless.
// Defined:  real (float), uint32_t (uint).
//
// grader: global = 1
// grader: local = 1
__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    // TODO: state how many work-items are launched, in groups of how many
    // TODO: let each add what is its own. Which work-items have nothing to add?
}
