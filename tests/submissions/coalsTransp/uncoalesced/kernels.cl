// Matrix transposition, first version: every thread moves one element.

__kernel void coalsTransp(__global const float* A, __global float* B, uint height, uint width)
{
    int col = get_global_id(0);
    int row = get_global_id(1);

    if (row < height && col < width)
        B[col * height + row] = A[row * width + col];
}
