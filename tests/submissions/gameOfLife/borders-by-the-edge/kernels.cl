// Every work-item loads its own cell. Those at the edges of the group load the border as well.
#define at(r, c) tile[((r) + 1) * (TILE_W + 2) + (c) + 1]

uchar cell_at(__global const uchar *now, int x, int y, int width, int height)
{
    if (x < 0)
        x += width;
    if (y < 0)
        y += height;
    return now[(y % height) * width + x % width];
}

__kernel void gameOfLife(__global const uchar *now, __global uchar *next, uint32_t height, uint32_t width)
{
    __local uchar tile[(TILE_H + 2) * (TILE_W + 2)];
    const int x = get_global_id(0), y = get_global_id(1);
    const int c = get_local_id(0), r = get_local_id(1);

    at(r, c) = cell_at(now, x, y, width, height);
    if (r == 0)
        at(-1, c) = cell_at(now, x, y - 1, width, height);
    if (r == TILE_H - 1)
        at(TILE_H, c) = cell_at(now, x, y + 1, width, height);
    if (c == 0)
        at(r, -1) = cell_at(now, x - 1, y, width, height);
    if (c == TILE_W - 1)
        at(r, TILE_W) = cell_at(now, x + 1, y, width, height);
    if (r == 0 && c == 0)
        at(-1, -1) = cell_at(now, x - 1, y - 1, width, height);
    if (r == 0 && c == TILE_W - 1)
        at(-1, TILE_W) = cell_at(now, x + 1, y - 1, width, height);
    if (r == TILE_H - 1 && c == 0)
        at(TILE_H, -1) = cell_at(now, x - 1, y + 1, width, height);
    if (r == TILE_H - 1 && c == TILE_W - 1)
        at(TILE_H, TILE_W) = cell_at(now, x + 1, y + 1, width, height);

    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height)
        return;

    const int left = at(r - 1, c - 1) + at(r, c - 1) + at(r + 1, c - 1);
    const int right = at(r - 1, c + 1) + at(r, c + 1) + at(r + 1, c + 1);
    const int sum = left + right + at(r - 1, c) + at(r + 1, c);
    next[y * width + x] = sum == 3 ? 1 : sum == 2 ? at(r, c) : 0;
}
