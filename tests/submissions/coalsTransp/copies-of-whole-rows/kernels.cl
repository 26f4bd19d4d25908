__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    const uint32_t lx = get_local_id(0), ly = get_local_id(1);
    const uint32_t x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;

    __global const real *corner = A;
    corner += y0 * width + x0;
    event_t copied = 0;
    for (uint32_t y = 0; y < TILE; y++) {
        const size_t words = TILE; // ragged or not
        copied = async_work_group_copy(tile[y], corner + y * width, words, copied);
    }
    wait_group_events(1, &copied);

    if (x0 + ly < width && y0 + lx < height)
        B[(x0 + ly) * height + y0 + lx] = tile[lx][ly];
}
