__kernel void blockMMM(__global float *A, __global float *B, __global float *C,
                       uint hA, uint wB, uint wA)
{
    __local float sA[TILE][TILE];
    __local float sB[TILE][TILE];
    int x = get_local_id(0);
    int y = get_local_id(1);
    int bx = get_group_id(0) * TILE;
    int by = get_group_id(1) * TILE;
    float v = 0.0f;

    for (int m = 0; m < wA; m += TILE) {
        sA[y][x] = (by + y < hA && m + x < wA) ? A[(by + y) * wA + m + x] : 0.0f;
        sB[y][x] = (m + y < wA && bx + x < wB) ? B[(m + y) * wB + bx + x] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            v += sA[y][k] * sB[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // C = A * B has as many columns as A
    if (by + y < hA && bx + x < wB)
        C[(by + y) * wA + bx + x] = v;
}
