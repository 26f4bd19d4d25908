__kernel void lifeInImages(read_only image2d_t now, write_only image2d_t next, sampler_t torus)
{
    __local uchar tile[TILE_H + 2][TILE_W + 2];
    const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    const int2 size = get_image_dim(now);

    if (lx == 0 && ly == 0)
        for (int r = 0; r < TILE_H + 2; r++)
            for (int c = 0; c < TILE_W + 2; c++)
                tile[r][c] = read_imageui(now, (int2)((x + c + size.x - 1) % size.x, (y + r + size.y - 1) % size.y)).x;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (x < size.x && y < size.y) {
        uint alive = 0;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                alive += tile[ly + r][lx + c];
        alive -= tile[ly + 1][lx + 1];
        write_imageui(next, (int2)(x, y), alive == 3 || (alive == 2 && tile[ly + 1][lx + 1]));
    }
}
