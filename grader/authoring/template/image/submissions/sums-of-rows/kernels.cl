constant sampler_t own = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void @ASSIGNMENT@(__read_only image2d_t in, __write_only image2d_t out, sampler_t unused, uint rows, uint columns)
{
    local float4 pixels[TILE + 2][TILE + 2], sums[TILE + 2][TILE];
    const size_t lx = get_local_id(0), ly = get_local_id(1);
    const float2 corner = (float2)(get_group_id(0) * TILE - 0.5f, get_group_id(1) * TILE - 0.5f);
    for (size_t y = ly; y < TILE + 2; y += TILE)
        for (size_t x = lx; x < TILE + 2; x += TILE)
            pixels[y][x] = read_imagef(in, own, corner + (float2)(x, y));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t y = ly; y < TILE + 2; y += TILE)
        sums[y][lx] = pixels[y][lx] + pixels[y][lx + 1] + pixels[y][lx + 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) < columns && get_global_id(1) < rows)
        write_imagef(out, (int2)(get_global_id(0), get_global_id(1)), (sums[ly][lx] + sums[ly + 1][lx] + sums[ly + 2][lx]) / 9);
}
