__kernel void k(__global const float *A, __global float *B, uint width)
{
    __local float sum = 0.0f;
    B[0] = sum;
}
