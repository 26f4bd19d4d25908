// A work-group loads its tile with a rim of one pixel. Lengths are cut off, not rounded.
kernel void sobel(global uchar *image, global uchar *result, uint h, uint w)
{
    local uchar tile[TILE + 2][TILE + 2];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    for (int r = ly; r < TILE + 2; r += TILE)
        for (int c = lx; c < TILE + 2; c += TILE) {
            int px = x - lx + c - 1, py = y - ly + r - 1;
            tile[r][c] = px >= 0 && py >= 0 && px < w && py < h ? image[py * w + px] : 0;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= w || y >= h)
        return;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        result[y * w + x] = 0;
        return;
    }
    int gx = 0, gy = 0;
    for (int d = 0; d < 3; d++) {
        int f = d == 1 ? 2 : 1;
        gx += f * (tile[ly + d][lx + 2] - tile[ly + d][lx]);
        gy += f * (tile[ly + 2][lx + d] - tile[ly][lx + d]);
    }
    result[y * w + x] = (uchar)min(255.0f, sqrt((float)(gx * gx + gy * gy)));
}
