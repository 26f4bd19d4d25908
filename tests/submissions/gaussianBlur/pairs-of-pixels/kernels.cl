#define READ(d, e) read_imagef(in, s, (int2)(x + (d), y + (e)))

__kernel void blurRows(__read_only image2d_t in, __write_only image2d_t out, __constant float *w, sampler_t s)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= get_image_width(in) || y >= get_image_height(in))
        return;
    float4 total = w[R] * READ(0, 0);
    for (int d = 1; d <= R; d++)
        total += w[R + d] * (READ(-d, 0) + READ(d, 0));
    write_imagef(out, (int2)(x, y), total);
}

__kernel void blurColumns(__read_only image2d_t in, __write_only image2d_t out, __constant float *w, sampler_t s)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= get_image_width(in) || y >= get_image_height(in))
        return;
    float4 total = w[R] * READ(0, 0);
    for (int d = 1; d <= R; d++)
        total += w[R + d] * (READ(0, -d) + READ(0, d));
    write_imagef(out, (int2)(x, y), total);
}
