__kernel void k(__global const float *A, __global float *B, uint width)
{
    B[0] = std::min(A[0], A[1]);
}
