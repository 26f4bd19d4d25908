__kernel void k(__global const float *A, __global float *B, uint width)
{
    __global float *row = malloc(width);
    row[0] = A[0];
}
