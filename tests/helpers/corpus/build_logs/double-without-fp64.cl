#pragma OPENCL EXTENSION cl_khr_fp64 : disable
__kernel void k(__global const float *A, __global float *B, uint width)
{
    double sum = 0.0;
    B[0] = sum;
}
