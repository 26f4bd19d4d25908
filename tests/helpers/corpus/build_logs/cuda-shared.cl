__kernel void k(__global const float *A, __global float *B, uint width)
{
    __shared__ float tile[16];
    tile[0] = A[0];
    B[0] = tile[0];
}
