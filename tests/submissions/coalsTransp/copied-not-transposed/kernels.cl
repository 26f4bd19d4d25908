__kernel void coalsTransp(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    uint32_t x = get_global_id(0), y = get_global_id(1);
    uint32_t lx = get_local_id(0), ly = get_local_id(1);
    bool ok = x < width && y < height;

    if (ok) tile[lx][ly] = A[y * width + x];   // read a row, keep it as a column
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ok) B[y * width + x] = tile[lx][ly];   // write a row
}
