__kernel void k(__global const float *A, __global float *B, uint width)
{
    float *row = new float[16];
    B[0] = row[0];
}
