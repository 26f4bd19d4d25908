float sum(__global const float *A)
{
    __local float tile[16];
    tile[0] = A[0];
    return tile[0];
}

__kernel void k(__global const float *A, __global float *B, uint width)
{
    B[0] = sum(A);
}
