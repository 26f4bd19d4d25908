__kernel void k(__global const float *A, __global float *B, uint width)
{
    uint i = get_globalid(0);
    B[i] = A[i];
}
