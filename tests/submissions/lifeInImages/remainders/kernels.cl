// Rows of work-items load rows of the tile, and remainders of whole numbers lead around the torus.
#define ROWS (TILE_H + 2)
#define COLS (TILE_W + 2)

kernel void lifeInImages(__read_only image2d_t now, __write_only image2d_t next, const sampler_t torus)
{
    local uchar field[ROWS][COLS];

    const int width = get_image_width(next), height = get_image_height(next);
    const int x0 = get_group_id(0) * TILE_W + width - 1, y0 = get_group_id(1) * TILE_H + height - 1;

    for (int row = get_local_id(1); row < ROWS; row += TILE_H)
        for (int col = get_local_id(0); col < COLS; col += TILE_W)
            field[row][col] = read_imageui(now, (int2)((x0 + col) % width, (y0 + row) % height)).s0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const int2 here = (int2)(get_global_id(0), get_global_id(1));
    if (here.x < width && here.y < height) {
        int sum = 0;
        for (int dy = 0; dy <= 2; ++dy)
            for (int dx = 0; dx <= 2; ++dx)
                if (dy != 1 || dx != 1)
                    sum += field[get_local_id(1) + dy][get_local_id(0) + dx];
        const int self = field[get_local_id(1) + 1][get_local_id(0) + 1];
        write_imageui(next, here, (uint4)((sum | self) == 3, 0, 0, 0));
    }
}
