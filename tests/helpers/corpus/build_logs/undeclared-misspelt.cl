__kernel void k(__global const float *A, __global float *B, uint width)
{
    int column = get_global_id(0);
    B[column] = A[colum];
}
