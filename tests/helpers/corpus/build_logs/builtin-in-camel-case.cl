__kernel void k(__global const float *A, __global float *B, uint width)
{
    uint i = getGlobalId(0);
    B[i] = A[i];
}
