__global__ void k(float *A, float *B, uint width)
{
    B[0] = A[0];
}
