// @ASSIGNMENT@: y = a*x + y; each work-item updates one element.
//
// x and y are arrays of n elements. A work-group has GROUP work-items, and there are as many groups
// as cover n: the last one may reach past the end of the arrays.
//
// Launch:   work-group (GROUP), global (ceil(n/GROUP)*GROUP).
// Defined:  real (float), GROUP (64), uint32_t (uint).
__kernel void @ASSIGNMENT@(__global const real *x, __global real *y, real a, uint32_t n)
{
    // TODO: which element is this work-item's, and is there one?
    // TODO: neighbouring work-items must use neighbouring elements
}
