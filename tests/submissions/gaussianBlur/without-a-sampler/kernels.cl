float4 blurred(read_only image2d_t from, __global const real *weights, sampler_t edge, int2 place, int2 step)
{
    float4 sum = 0;
    for (int d = -R; d <= R; d++)
        sum += weights[R + d] * read_imagef(from, place + d * step);
    return sum;
}

__kernel void blurRows(read_only image2d_t source, write_only image2d_t between, __global const real *weights,
                       sampler_t edge)
{
    const int2 place = (int2)(get_global_id(0), get_global_id(1));
    if (place.x < get_image_width(between) && place.y < get_image_height(between))
        write_imagef(between, place, blurred(source, weights, edge, place, (int2)(1, 0)));
}

__kernel void blurColumns(read_only image2d_t between, write_only image2d_t target, __global const real *weights,
                          sampler_t edge)
{
    const int2 place = (int2)(get_global_id(0), get_global_id(1));
    if (place.x < get_image_width(target) && place.y < get_image_height(target))
        write_imagef(target, place, blurred(between, weights, edge, place, (int2)(0, 1)));
}
