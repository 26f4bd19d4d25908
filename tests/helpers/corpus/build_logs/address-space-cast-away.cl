__kernel void k(__global const float *A, __global float *B, uint width)
{
    float *row = (float *)B;
    row[0] = A[0];
}
