__kernel void k(__global const float *A, __global int *B, uint width)
{
    atomicAdd(B, 1);
}
