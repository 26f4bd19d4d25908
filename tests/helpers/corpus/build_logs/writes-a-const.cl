__kernel void k(__global const float *A, __global float *B, uint width)
{
    A[0] = B[0];
}
