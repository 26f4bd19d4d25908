uint i = get_global_id(0);

__kernel void k(__global const float *A, __global float *B, uint width)
{
    B[i] = A[i];
}
