float sum = 0.0f;

__kernel void k(__global const float *A, __global float *B, uint width)
{
    sum += A[0];
    B[0] = sum;
}
