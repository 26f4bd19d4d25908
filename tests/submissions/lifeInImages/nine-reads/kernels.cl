__kernel void lifeInImages(read_only image2d_t now, write_only image2d_t next, sampler_t torus)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int w = get_image_width(now), h = get_image_height(now);
    if (x >= w || y >= h)
        return;
    const int left = x == 0 ? w - 1 : x - 1, right = x == w - 1 ? 0 : x + 1;
    const int above = y == 0 ? h - 1 : y - 1, below = y == h - 1 ? 0 : y + 1;
    const uint4 alive = read_imageui(now, (int2)(left, above)) + read_imageui(now, (int2)(x, above))
                        + read_imageui(now, (int2)(right, above)) + read_imageui(now, (int2)(left, y))
                        + read_imageui(now, (int2)(right, y)) + read_imageui(now, (int2)(left, below))
                        + read_imageui(now, (int2)(x, below)) + read_imageui(now, (int2)(right, below));
    const uint cell = read_imageui(now, (int2)(x, y)).x;
    write_imageui(next, (int2)(x, y), alive.x == 3 || (alive.x == 2 && cell));
}
