// byteHistogram: how often does each value occur in an array of bytes?
//
// counts[b] is the number of bytes of data with the value b, for b from 0 to BINS - 1. It is 0 before the launch.
// Every group counts its bytes in local memory, and then adds its counts to those of the others.
//
// Launch:   work-group (WG), global (GROUPS*WG). n may be smaller, or much larger.
// Defined:  WG (128), GROUPS (24), BINS (256), uint32_t (uint).
__kernel void histogram(__global const uchar *data, __global uint32_t *counts, uint32_t n)
{
    // __local uint32_t part[BINS];

    // TODO: set the counts of the group to 0; there are more counts than work-items
    // TODO: count bytes that are a grid apart. Which function lets several work-items increase one count?
    // TODO: add the counts of the group to the result. Where must barriers be?
}
