__kernel void blurRows(read_only image2d_t source, write_only image2d_t between, __global const real *weights,
                       sampler_t edge)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int2 size = get_image_dim(source);
    if (x >= size.x || y >= size.y)
        return;

    float4 sum = (float4)(0);
    for (int k = 0; k <= 2 * R; k++) {
        const int at = clamp(x + k - R, 0, size.x - 1);
        sum = mad(read_imagef(source, (int2)(at, y)), weights[k], sum);
    }
    write_imagef(between, (int2)(x, y), sum);
}

__kernel void blurColumns(read_only image2d_t between, write_only image2d_t target, __global const real *weights,
                          sampler_t edge)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int2 size = get_image_dim(between);
    if (x >= size.x || y >= size.y)
        return;

    float4 sum = (float4)(0);
    for (int k = 0; k <= 2 * R; k++) {
        const int at = clamp(y + k - R, 0, size.y - 1);
        sum = mad(read_imagef(between, (int2)(x, at)), weights[k], sum);
    }
    write_imagef(target, (int2)(x, y), sum);
}
