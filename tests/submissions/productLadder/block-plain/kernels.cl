#define AT(M, i, j) ((i) < n && (j) < n ? M[(i) * n + (j)] : (real)0)

__kernel void mmBlock(__global real *A, __global real *B, __global real *C, uint32_t n)
{
    __local real a[TILE][TILE + 1], b[TILE][TILE + 1];
    uint32_t x = get_local_id(0), y = get_local_id(1);
    uint32_t j = get_group_id(0) * TILE + x, i = get_group_id(1) * TILE + y;
    uint32_t steps = (n + TILE - 1) / TILE;
    real sum = 0;

    for (uint32_t s = 0; s < steps; s++) {
        a[y][x] = AT(A, i, s * TILE + x);
        b[y][x] = AT(B, s * TILE + y, j);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += a[y][k] * b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n && j < n)
        C[i * n + j] = sum;
}
