// The rule is a table of 18 bits: a dead cell has bit 3, and a living one has bits 2 and 3 of the upper half.
#define WIDE (TILE_W + 2)
#define HIGH (TILE_H + 2)
#define RULE ((1u << 3) | (1u << (9 + 2)) | (1u << (9 + 3)))

__kernel void gameOfLife(__global const uchar* now, __global uchar* next, uint32_t height, uint32_t width)
{
    __local uchar cells[HIGH][WIDE];
    const uint32_t lx = get_local_id(0), ly = get_local_id(1);
    const uint32_t x0 = get_group_id(0) * TILE_W + width - 1, y0 = get_group_id(1) * TILE_H + height - 1;

    for (uint32_t i = ly * TILE_W + lx; i < HIGH * WIDE; i += TILE_W * TILE_H) {
        const uint32_t r = i / WIDE, c = i - r * WIDE;
        cells[r][c] = now[(y0 + r) % height * width + (x0 + c) % width];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint32_t count = 0;
    for (uint32_t r = ly; r < ly + 3; r++)
        count += cells[r][lx] + cells[r][lx + 1] + cells[r][lx + 2];
    const uint32_t self = cells[ly + 1][lx + 1];
    if (get_global_id(1) < height && get_global_id(0) < width)
        next[get_global_id(1) * width + get_global_id(0)] = (RULE >> (9 * self + count - self)) & 1;
}
