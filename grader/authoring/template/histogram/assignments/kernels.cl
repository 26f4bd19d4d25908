// @ASSIGNMENT@: counts how often each of the 256 values of a byte is in data.
//
// counts has 256 elements, which are 0 at the beginning. A work-group has GROUP work-items and counts CHUNK bytes: the
// last group has fewer.
//
// Launch:   work-group (GROUP), global (ceil(n/CHUNK)*GROUP).
// Defined:  GROUP (256), CHUNK (4096), uint32_t (uint).
__kernel void @ASSIGNMENT@(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    // TODO: count the bytes of this group in local memory
    // TODO: add the counts of this group to counts
}
