// The tile has no halo. Pixels of other groups are read from global memory each time.
__kernel void convolution(__global const real *image, __constant real *mask, __global real *result,
                          uint32_t height, uint32_t width)
{
    __local real tile[TILE * TILE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int row = get_global_id(1), col = get_global_id(0);
    const bool here = row < (int)height && col < (int)width;
    tile[y * TILE + x] = here ? image[row * width + col] : (real)0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!here)
        return;

    real sum = 0;
    for (int i = -R; i <= R; i++)
        for (int j = -R; j <= R; j++) {
            real pixel = 0;
            if (y + i >= 0 && y + i < TILE && x + j >= 0 && x + j < TILE)
                pixel = tile[(y + i) * TILE + x + j];
            else if (row + i >= 0 && row + i < (int)height && col + j >= 0 && col + j < (int)width)
                pixel = image[(row + i) * width + col + j];
            sum += mask[(i + R) * (2 * R + 1) + j + R] * pixel;
        }
    result[row * width + col] = sum;
}
