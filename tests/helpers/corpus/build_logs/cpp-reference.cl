void clear(float &x)
{
    x = 0.0f;
}

__kernel void k(__global const float *A, __global float *B, uint width)
{
    B[0] = A[0];
    clear(B[1]);
}
