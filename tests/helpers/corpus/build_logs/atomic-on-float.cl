__kernel void k(__global const float *A, __global float *B, uint width)
{
    atomic_add(B, A[0]);
}
