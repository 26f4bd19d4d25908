__kernel void convolution(__global const real *image, __constant real *mask, __global real *result,
                          uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE];
    const int x = get_local_id(0), y = get_local_id(1);
    const uint32_t row = get_global_id(1), col = get_global_id(0);
    tile[y][x] = row < height && col < width ? image[row * width + col] : (real)0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row >= height || col >= width)
        return;
    real sum = 0;
    for (int i = -R; i <= R; i++)
        for (int j = -R; j <= R; j++)
            if (y + i >= 0 && y + i < TILE && x + j >= 0 && x + j < TILE)
                sum += mask[(i + R) * (2 * R + 1) + j + R] * tile[y + i][x + j];
    result[row * width + col] = sum;
}
