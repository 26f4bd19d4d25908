// the first work-item of a group transposes the whole tile
__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    if (get_local_id(0) > 0 || get_local_id(1) > 0)
        return;
    for (uint32_t y = 0; y < TILE; y++)
        for (uint32_t x = 0; x < TILE; x++) {
            const uint32_t row = get_global_id(1) + y, col = get_global_id(0) + x;
            if (row < height && col < width)
                B[col * height + row] = A[row * width + col];
        }
}
