__kernel void k(__global const float *A, __global float *B, uint width)
{
    B = A[0];
}
