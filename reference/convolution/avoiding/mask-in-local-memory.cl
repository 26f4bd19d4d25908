// Only the mask is in local memory, and the pixels are read from global memory each time.
__kernel void convolution(__global const real *image, __constant real *mask, __global real *result,
                          uint32_t height, uint32_t width)
{
    __local real weights[(2 * R + 1) * (2 * R + 1)];
    const int lid = get_local_id(1) * TILE + get_local_id(0);
    for (int i = lid; i < (2 * R + 1) * (2 * R + 1); i += TILE * TILE)
        weights[i] = mask[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    const int row = get_global_id(1), col = get_global_id(0);
    if (row >= height || col >= width)
        return;
    real sum = 0;
    for (int i = -R; i <= R; i++)
        for (int j = -R; j <= R; j++) {
            const int y = row + i, x = col + j;
            if (y >= 0 && y < (int)height && x >= 0 && x < (int)width)
                sum += weights[(i + R) * (2 * R + 1) + j + R] * image[y * width + x];
        }
    result[row * width + col] = sum;
}
