__kernel void k(__global const float *A, __global float *B, uint width)
{
    float i = get_global_id(0);
    B[i] = A[i];
}
