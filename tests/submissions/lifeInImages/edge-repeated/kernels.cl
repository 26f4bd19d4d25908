__constant sampler_t NEAREST = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

#define W (TILE_W + 2)
#define H (TILE_H + 2)

__kernel void lifeInImages(read_only image2d_t now, write_only image2d_t next, sampler_t torus)
{
    __local uchar tile[H * W];

    const int lx = get_local_id(0), ly = get_local_id(1);
    const int left = get_group_id(0) * TILE_W, top = get_group_id(1) * TILE_H;
    const int2 size = get_image_dim(now);

    for (int i = ly * TILE_W + lx; i < H * W; i += TILE_H * TILE_W) {
        const int2 place = (int2)(left + i % W - 1, top + i / W - 1);
        tile[i] = read_imageui(now, NEAREST, place).x;
    }

    barrier(CLK_LOCAL_MEM_FENCE);    // the tile is complete

    const int x = left + lx, y = top + ly;
    if (x >= size.x || y >= size.y)
        return;

    const __local uchar *above = tile + ly * W + lx;
    const __local uchar *middle = above + W;
    const __local uchar *below = middle + W;
    const uint alive = above[0] + above[1] + above[2] + middle[0] + middle[2] + below[0] + below[1] + below[2];
    write_imageui(next, (int2)(x, y), alive == 3 || (alive == 2 && middle[1] == 1));
}
