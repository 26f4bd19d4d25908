/* Matrix product with tiles. M, N, K as in the book:
   A is M x K, B is K x N, C is M x N */
__kernel void blockMMM(__global float *A, __global float *B, __global float *C,
                       uint M, uint N, uint K)
{
    __local float subA[TILE][TILE];
    __local float subB[TILE][TILE];
    const int row = get_local_id(1);
    const int col = get_local_id(0);
    const int gRow = get_group_id(1) * TILE + row;
    const int gCol = get_group_id(0) * TILE + col;
    float total = 0.0f;

    for (int t = 0; t < K; t += TILE) {
        subA[row][col] = 0.0f;
        subB[row][col] = 0.0f;
        if (gRow < M && t + col < K)
            subA[row][col] = A[gRow * K + t + col];
        if (gCol < N && t + row < K)
            subB[row][col] = B[(t + row) * K + gCol];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            total += subA[row][k] * subB[k][col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (gRow < M && gCol < N)
        C[gRow * N + gCol] = total;
}
