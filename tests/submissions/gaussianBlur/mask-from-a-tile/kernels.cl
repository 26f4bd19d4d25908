#define SIDE (TILE + 2 * R)

__kernel void blurRows(read_only image2d_t source, write_only image2d_t between, __constant real *weights,
                       sampler_t edge)
{
    __local float4 tile[SIDE][SIDE];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int2 first = (int2)(get_group_id(0), get_group_id(1)) * TILE - R;
    for (int y = ly; y < SIDE; y += TILE)
        for (int x = lx; x < SIDE; x += TILE)
            tile[y][x] = read_imagef(source, edge, first + (int2)(x, y));
    barrier(CLK_LOCAL_MEM_FENCE);

    const int2 place = (int2)(get_global_id(0), get_global_id(1));
    if (place.x >= get_image_width(source) || place.y >= get_image_height(source))
        return;
    float4 sum = 0;
    for (int i = 0; i <= 2 * R; i++)
        for (int j = 0; j <= 2 * R; j++)
            sum += weights[i] * weights[j] * tile[ly + i][lx + j];
    write_imagef(between, place, sum);
}

__kernel void blurColumns(read_only image2d_t between, write_only image2d_t target, __constant real *weights,
                          sampler_t edge)
{
    const int2 place = (int2)(get_global_id(0), get_global_id(1));
    if (place.x < get_image_width(target) && place.y < get_image_height(target))
        write_imagef(target, place, read_imagef(between, edge, place));
}
