constant sampler_t unit = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void blurRows(read_only image2d_t image, write_only image2d_t result, global const float *weights, sampler_t edge)
{
    const int2 here = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(image);
    if (here.x >= size.x || here.y >= size.y)
        return;
    float4 sum = 0;
    for (int k = 0; k < 2 * R + 1; k++) {
        float2 at = (convert_float2(here) + (float2)(k - R + 0.5f, 0.5f)) / convert_float2(size);
        sum = mad(weights[k], read_imagef(image, unit, at), sum);
    }
    write_imagef(result, here, sum);
}

kernel void blurColumns(read_only image2d_t image, write_only image2d_t result, global const float *weights, sampler_t edge)
{
    const int2 here = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(image);
    if (here.x >= size.x || here.y >= size.y)
        return;
    float4 sum = 0;
    for (int k = 0; k < 2 * R + 1; k++) {
        float2 at = (convert_float2(here) + (float2)(0.5f, k - R + 0.5f)) / convert_float2(size);
        sum = mad(weights[k], read_imagef(image, unit, at), sum);
    }
    write_imagef(result, here, sum);
}
