__kernel void k(__global const float *A, __global float *B, uint width)
{
    float4 v = vload4(0, A);
    B[0] = v.x + v.t;
}
