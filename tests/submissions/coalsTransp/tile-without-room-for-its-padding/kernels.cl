#define AT(r, c) ((r) * (TILE + 1) + (c))     // padded by one against bank conflicts

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real lds[TILE * TILE];            // one word a work-item
    const int c = get_local_id(0);
    const int r = get_local_id(1);
    const uint32_t top = get_group_id(1) * TILE;
    const uint32_t left = get_group_id(0) * TILE;

    if (top + r < height)
        if (left + c < width)
            lds[AT(r, c)] = A[(top + r) * width + left + c];

    barrier(CLK_LOCAL_MEM_FENCE);

    if (left + r < width)
        if (top + c < height)
            B[(left + r) * height + top + c] = lds[AT(c, r)];
}
