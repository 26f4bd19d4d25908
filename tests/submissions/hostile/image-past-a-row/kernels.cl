// Writes the last pixel of each row left of the next row, and more pixels below the last row. In memory, they would be in
// the same place, or behind the image.
float4 blurred(read_only image2d_t from, __global const real *weights, sampler_t edge, int2 place, int2 direction)
{
    float4 sum = 0;
    for (int d = -R; d <= R; d++)
        sum += weights[R + d] * read_imagef(from, edge, place + d * direction);
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
    const int width = get_image_width(target), height = get_image_height(target);
    if (place.x >= width || place.y >= height)
        return;
    const float4 color = blurred(between, weights, edge, place, (int2)(0, 1));
    const bool is_last = place.x == width - 1;
    write_imagef(target, is_last ? (int2)(-1, place.y + 1) : place, color);
    for (int below = 0; below < 64; below++)
        write_imagef(target, (int2)(place.x, height + below), color);
}
