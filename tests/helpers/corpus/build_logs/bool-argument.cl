__kernel void k(__global const float *A, __global float *B, bool flag)
{
    if (flag)
        B[0] = A[0];
}
