// The rule is a table of 18 bits: a dead cell has bit 3, and a living one has bits 2 and 3 of the upper half.
#define WIDE (TILE_W + 2)
#define HIGH (TILE_H + 2)
#define RULE ((1u << 3) | (1u << (9 + 2)) | (1u << (9 + 3)))

__kernel void lifeInImages(read_only image2d_t now, write_only image2d_t next, sampler_t torus)
{
    __local uchar cells[HIGH][WIDE];
    const uint lx = get_local_id(0), ly = get_local_id(1);
    const uint width = get_image_width(now), height = get_image_height(now);
    const float x0 = get_group_id(0) * TILE_W - 0.5f, y0 = get_group_id(1) * TILE_H - 0.5f;

    for (uint i = ly * TILE_W + lx; i < HIGH * WIDE; i += TILE_W * TILE_H) {
        const uint r = i / WIDE, c = i - r * WIDE;
        cells[r][c] = read_imageui(now, torus, (float2)((x0 + c) / width, (y0 + r) / height)).x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint count = 0;
    for (uint r = ly; r < ly + 3; r++)
        count += cells[r][lx] + cells[r][lx + 1] + cells[r][lx + 2];
    const uint self = cells[ly + 1][lx + 1];
    if (get_global_id(1) < height && get_global_id(0) < width)
        write_imageui(next, (int2)(get_global_id(0), get_global_id(1)), (RULE >> (9 * self + count - self)) & 1);
}
