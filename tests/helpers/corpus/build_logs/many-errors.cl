__kernel void k(__global const float *A, __global float *B, uint width)
{
    B[0] = a0;
    B[1] = a1;
    B[2] = a2;
    B[3] = a3;
    B[4] = a4;
    B[5] = a5;
    B[6] = a6;
    B[7] = a7;
}
