// Baseline: each work-item reads the pixels of its cell and of the eight neighbours.
__kernel void naiveLifeInImages(read_only image2d_t now, write_only image2d_t next, sampler_t torus)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int2 size = get_image_dim(now);
    if (x >= size.x || y >= size.y)
        return;

    const float2 pixel = 1.0f / convert_float2(size);
    uint alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0)
                alive += read_imageui(now, torus, ((float2)(x + dx, y + dy) + 0.5f) * pixel).x;

    const uint cell = read_imageui(now, (int2)(x, y)).x;
    write_imageui(next, (int2)(x, y), alive == 3 || (alive == 2 && cell == 1));
}
