typedef uint uint32_t;

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real part[TILE][TILE + 1];
    uint32_t i = get_local_id(0);
    uint32_t j = get_local_id(1);
    uint32_t top = get_group_id(0) * TILE;
    uint32_t left = get_group_id(1) * TILE;

    if (top + i < height && left + j < width)
        part[i][j] = A[(top + i) * width + left + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (left + i < width && top + j < height)
        B[(left + i) * height + top + j] = part[j][i];
}
