__local float tile[16];

__kernel void k(__global const float *A, __global float *B, uint width)
{
    tile[0] = A[0];
    B[0] = tile[0];
}
