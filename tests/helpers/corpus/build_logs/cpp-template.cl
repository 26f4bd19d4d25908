template <typename T> T twice(T x)
{
    return x + x;
}

__kernel void k(__global const float *A, __global float *B, uint width)
{
    B[0] = twice(A[0]);
}
