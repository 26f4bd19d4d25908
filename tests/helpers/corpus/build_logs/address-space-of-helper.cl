float first(const float *row)
{
    return row[0];
}

__kernel void k(__global const float *A, __global float *B, uint width)
{
    B[0] = first(A);
}
