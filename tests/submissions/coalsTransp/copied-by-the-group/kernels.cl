// no work-item reads down a column: the group copies it
__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE];
    const uint32_t lx = get_local_id(0), ly = get_local_id(1);
    const uint32_t x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;
    const uint32_t rows = min((uint32_t)TILE, height - y0);
    const uint32_t columns = min((uint32_t)TILE, width - x0);

    event_t copied = 0;
    for (uint32_t x = 0; x < columns; x++)
        copied = async_work_group_strided_copy(tile[x], A + y0 * width + x0 + x, rows, width, copied);
    wait_group_events(1, &copied);

    if (lx < rows && ly < columns)
        B[(x0 + ly) * height + y0 + lx] = tile[ly][lx];
}
