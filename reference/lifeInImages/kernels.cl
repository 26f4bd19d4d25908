// Model solution: one generation of the Game of Life on a torus, with images.
//
// A tile has a border, one cell wide, on each side. The group loads all of it into local memory, so a pixel is read about
// 1.3 times and not nine times. The sampler repeats the image, so no condition is needed for the borders. The 0.5 leads
// to the middle of a pixel, far from the neighbouring pixels.
#define W (TILE_W + 2)
#define H (TILE_H + 2)

__kernel void lifeInImages(read_only image2d_t now, write_only image2d_t next, sampler_t torus)
{
    __local uchar tile[H * W];

    const int lx = get_local_id(0), ly = get_local_id(1);
    const int left = get_group_id(0) * TILE_W, top = get_group_id(1) * TILE_H;
    const int2 size = get_image_dim(now);
    const float2 pixel = 1.0f / convert_float2(size);

    for (int i = ly * TILE_W + lx; i < H * W; i += TILE_H * TILE_W) {
        const int2 place = (int2)(left + i % W - 1, top + i / W - 1);
        tile[i] = read_imageui(now, torus, (convert_float2(place) + 0.5f) * pixel).x;
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
