half_of(float x)
{
    return 0.5f * x;
}

__kernel void k(__global const float *A, __global float *B, uint width)
{
    B[0] = half_of(A[0]);
}
