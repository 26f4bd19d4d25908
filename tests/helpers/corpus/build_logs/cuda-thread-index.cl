__kernel void k(__global const float *A, __global float *B, uint width)
{
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    B[i] = A[i];
}
