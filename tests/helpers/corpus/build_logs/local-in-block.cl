__kernel void k(__global const float *A, __global float *B, uint width)
{
    for (uint t = 0; t < width; t++) {
        __local float tile[16];
        tile[0] = A[t];
        B[t] = tile[0];
    }
}
