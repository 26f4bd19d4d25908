// the tile is transposed; tiles stay in place since each group owns its part of B
__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    uint32_t lc = get_local_id(0), lr = get_local_id(1);
    uint32_t r = get_group_id(1) * TILE, c = get_group_id(0) * TILE;

    real v = 0;
    if (r + lr < height && c + lc < width)
        v = A[(r + lr) * width + (c + lc)];
    tile[lc][lr] = v;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (r + lr < width && c + lc < height)
        B[(r + lr) * height + (c + lc)] = tile[lr][lc];
}
