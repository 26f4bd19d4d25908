#define ROWS (TILE_H + 2)
#define COLS (TILE_W + 2)

kernel void gameOfLife(global const uchar *restrict now, global uchar *restrict next, const uint height, const uint width)
{
    local uchar field[ROWS][COLS];

    const int x0 = get_group_id(0) * TILE_W - 1;
    const int y0 = get_group_id(1) * TILE_H - 1;

    for (int row = get_local_id(1); row < ROWS; row += TILE_H) {
        const int y = (y0 + row + (int)height) % (int)height;
        for (int col = get_local_id(0); col < COLS; col += TILE_W) {
            const int x = (x0 + col + (int)width) % (int)width;
            field[row][col] = now[y * width + x];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const size_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        int sum = 0;
        for (int dy = 0; dy <= 2; ++dy)
            for (int dx = 0; dx <= 2; ++dx)
                if (dy != 1 || dx != 1)
                    sum += field[get_local_id(1) + dy][get_local_id(0) + dx];
        const int self = field[get_local_id(1) + 1][get_local_id(0) + 1];
        next[y * width + x] = (sum | self) == 3;
    }
}
