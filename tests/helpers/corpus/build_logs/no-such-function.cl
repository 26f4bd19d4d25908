__kernel void k(__global const float *A, __global float *B, uint width)
{
    B[0] = average(A, width);
}
