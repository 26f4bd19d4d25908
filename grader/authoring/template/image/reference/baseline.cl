// Baseline: right, but each work-item reads nine pixels of the image.
__kernel void naive_@ASSIGNMENT@(read_only image2d_t source, write_only image2d_t target, sampler_t edge,
                                 uint32_t height, uint32_t width)
{
    const int2 place = (int2)(get_global_id(0), get_global_id(1));
    if (place.x >= width || place.y >= height)
        return;
    float4 sum = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += read_imagef(source, edge, place + (int2)(x, y));
    write_imagef(target, place, sum / 9);
}
