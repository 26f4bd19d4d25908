__kernel void k(__global const float *A, __global float *B, uint width)
{
    float row[width];
    row[0] = A[0];
    B[0] = row[0];
}
