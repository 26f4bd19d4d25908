__kernel void k(__global const float *A, __global float *B, uint width)
{
    __local float tile[width];
    tile[0] = A[0];
    B[0] = tile[0];
}
