// One work-item of each group transposes the tile alone. async_work_group_copy moves the rows for it.
__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE], turned[TILE][TILE];
    const uint32_t x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;
    const uint32_t w = min((uint32_t)TILE, width - x0), h = min((uint32_t)TILE, height - y0);
    event_t e = 0;
    for (uint32_t r = 0; r < h; r++)
        e = async_work_group_copy(tile[r], A + (y0 + r) * width + x0, w, e);
    wait_group_events(1, &e);
    if (get_local_id(0) == 0 && get_local_id(1) == 0)
        for (uint32_t p = 0; p < TILE * TILE; p++)
            if (p / TILE < h && p % TILE < w)
                turned[p % TILE][p / TILE] = tile[p / TILE][p % TILE];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t f = 0;
    for (uint32_t r = 0; r < w; r++)
        f = async_work_group_copy(B + (x0 + r) * height + y0, turned[r], h, f);
    wait_group_events(1, &f);
}
