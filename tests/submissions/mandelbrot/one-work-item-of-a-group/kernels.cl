// One work-item of each group computes all 256 pixels of the tile; the others only store.
__kernel void mandelbrot(__global uint *counts, uint32_t height, uint32_t width, uint32_t limit,
                         real left, real top, real stepX, real stepY)
{
    __local uint32_t tile[TILE][TILE];
    const uint32_t lx = get_local_id(0), ly = get_local_id(1);
    const uint32_t x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;
    if (lx == 0 && ly == 0)
        for (uint32_t p = 0; p < TILE * TILE; p++) {
            const real re = left + (x0 + p % TILE + (real)0.5) * stepX;
            const real im = top + (y0 + p / TILE + (real)0.5) * stepY;
            real x = 0, y = 0, xx = 0, yy = 0;
            uint32_t count = 0;
            while (count < limit && xx + yy <= 4) {
                y = 2 * x * y + im;
                x = xx - yy + re;
                xx = x * x;
                yy = y * y;
                count++;
            }
            tile[p / TILE][p % TILE] = count;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y0 + ly < height && x0 + lx < width)
        counts[(y0 + ly) * width + x0 + lx] = tile[ly][lx];
}
