__kernel void k(__global const float *A, __global float *B, uint width)
{
    uint i = get_global_id(0);
    if (i < width) {
        B[i] = A[i];
}
