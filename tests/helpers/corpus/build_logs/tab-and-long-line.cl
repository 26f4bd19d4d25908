__kernel void k(__global const float *A, __global float *B, uint width)
{
	uint i = get_global_id(0);
	B[i] = A[i] + A[i + 1] + A[i + 2] + A[i + 3] + A[i + 4] + A[i + 5] + A[i + 6] + nothing + A[i + 7] + A[i + 8];
}
