#define SIDE (TILE + 2)

__constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

__kernel void @ASSIGNMENT@(read_only image2d_t source, write_only image2d_t target, sampler_t edge,
                           uint32_t height, uint32_t width)
{
    __local float4 tile[SIDE][SIDE];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int2 place = (int2)(get_global_id(0), get_global_id(1)), first = place - (int2)(lx + 1, ly + 1);
    for (int i = ly * TILE + lx; i < SIDE * SIDE; i += TILE * TILE)
        tile[i / SIDE][i % SIDE] = read_imagef(source, border, first + (int2)(i % SIDE, i / SIDE));
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 sum = 0;
    for (int y = 0; y <= 2; y++)
        for (int x = 0; x <= 2; x++)
            sum += tile[ly + y][lx + x];
    if (place.x < width && place.y < height)
        write_imagef(target, place, sum / 9);
}
