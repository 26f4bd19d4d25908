// The first work-item of a group loads the whole tile, and the others wait for it.
#define W (TILE_W + 2)
#define H (TILE_H + 2)

__kernel void lifeInImages(read_only image2d_t now, write_only image2d_t next, sampler_t torus)
{
    __local uchar tile[H][W];

    const int x = get_global_id(0), y = get_global_id(1);
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int2 size = get_image_dim(now);
    if (lx == 0 && ly == 0)
        for (int r = 0; r < H; r++)
            for (int c = 0; c < W; c++)
                tile[r][c] = read_imageui(now, torus, ((float2)(x + c, y + r) - 0.5f) / convert_float2(size)).x;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint alive = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            alive += tile[ly + r][lx + c];
    alive -= tile[ly + 1][lx + 1];
    if (x < size.x && y < size.y)
        write_imageui(next, (int2)(x, y), alive == 3 || (alive == 2 && tile[ly + 1][lx + 1] == 1));
}
