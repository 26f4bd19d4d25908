// Every work-item loads its own cell. Those at the edges of the group load the border as well.
constant sampler_t around = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;

uchar cell_at(read_only image2d_t now, int x, int y)
{
    const float2 middle = (float2)(x + 0.5f, y + 0.5f);
    return read_imageui(now, around, middle / convert_float2(get_image_dim(now))).x;
}

__kernel void lifeInImages(read_only image2d_t now, write_only image2d_t next, sampler_t torus)
{
    __local uchar tile[(TILE_H + 2) * (TILE_W + 2)];
#define at(r, c) tile[((r) + 1) * (TILE_W + 2) + (c) + 1]
    const int x = get_global_id(0), y = get_global_id(1);
    const int c = get_local_id(0), r = get_local_id(1);
    const int dx = c == 0 ? -1 : c == TILE_W - 1 ? 1 : 0, dy = r == 0 ? -1 : r == TILE_H - 1 ? 1 : 0;

    at(r, c) = cell_at(now, x, y);
    if (dx != 0)
        at(r, c + dx) = cell_at(now, x + dx, y);
    if (dy != 0)
        at(r + dy, c) = cell_at(now, x, y + dy);
    if (dx != 0 && dy != 0)
        at(r + dy, c + dx) = cell_at(now, x + dx, y + dy);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= get_image_width(now) || y >= get_image_height(now))
        return;

    const int left = at(r - 1, c - 1) + at(r, c - 1) + at(r + 1, c - 1);
    const int right = at(r - 1, c + 1) + at(r, c + 1) + at(r + 1, c + 1);
    const int sum = left + right + at(r - 1, c) + at(r + 1, c);
    write_imageui(next, (int2)(x, y), sum == 3 ? 1 : sum == 2 ? at(r, c) : 0);
}
