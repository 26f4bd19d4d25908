__kernel void k(__global const float *A, __global float *B, size_t width)
{
    B[0] = width;
}
