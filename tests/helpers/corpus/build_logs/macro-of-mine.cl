#define SQUARE(x) ((x) * y)

__kernel void k(__global const float *A, __global float *B, uint width)
{
    B[0] = SQUARE(A[0]);
}
