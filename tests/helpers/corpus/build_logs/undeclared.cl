__kernel void k(__global const float *A, __global float *B, uint width)
{
    int gidx = get_global_id(0);
    B[gidx] = A[gidy];
}
