// one row of 16 work-items of a group computes the pixels of all rows
__kernel void blurRows(read_only image2d_t source, write_only image2d_t between, __global const real *weights,
                       sampler_t edge)
{
    const int height = get_image_height(between), width = get_image_width(between);
    const int x = get_global_id(0), top = get_group_id(1) * get_local_size(1);
    if (get_local_id(1) > 0 || x >= width)
        return;
    real w[2 * R + 1];
    for (int d = 0; d <= 2 * R; d++)
        w[d] = weights[d];
    for (int y = top; y < top + (int)get_local_size(1) && y < height; y++) {
        float4 sum = 0;
        for (int d = -R; d <= R; d++)
            sum += w[R + d] * read_imagef(source, edge, (int2)(x + d, y));
        write_imagef(between, (int2)(x, y), sum);
    }
}

__kernel void blurColumns(read_only image2d_t between, write_only image2d_t target, __global const real *weights,
                          sampler_t edge)
{
    const int height = get_image_height(target), width = get_image_width(target);
    const int x = get_global_id(0), top = get_group_id(1) * get_local_size(1);
    if (get_local_id(1) > 0 || x >= width)
        return;
    real w[2 * R + 1];
    for (int d = 0; d <= 2 * R; d++)
        w[d] = weights[d];
    for (int y = top; y < top + (int)get_local_size(1) && y < height; y++) {
        float4 sum = 0;
        for (int d = -R; d <= R; d++)
            sum += w[R + d] * read_imagef(between, edge, (int2)(x, y + d));
        write_imagef(target, (int2)(x, y), sum);
    }
}
