__kernel void k(__global const float *A, __global float *B, uint width)
{
    uint r = get_global_id(1), c = get_global_id(0);
    B[r][c] = A[c][r];
}
