#define SIDE (TILE + 2 * R)

__kernel void convolution(__global const real *image, __constant real *mask, __global real *result,
                          uint32_t height, uint32_t width)
{
    __local real tile[SIDE * SIDE];
    const int x = get_local_id(0), y = get_local_id(1);
    const uint32_t outRow = get_global_id(1), outCol = get_global_id(0);
    if (outRow >= height || outCol >= width)
        return;
    const int left = get_group_id(0) * TILE - R, top = get_group_id(1) * TILE - R;
    for (int i = y * TILE + x; i < SIDE * SIDE; i += TILE * TILE) {
        const int row = top + i / SIDE, col = left + i % SIDE;
        const bool inside = row >= 0 && row < (int)height && col >= 0 && col < (int)width;
        tile[i] = inside ? image[row * width + col] : (real)0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    real sum = 0;
    for (int i = 0; i <= 2 * R; i++)
        for (int j = 0; j <= 2 * R; j++)
            sum += mask[i * (2 * R + 1) + j] * tile[(y + i) * SIDE + x + j];
    result[outRow * width + outCol] = sum;
}
