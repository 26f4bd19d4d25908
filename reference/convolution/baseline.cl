// Baseline: each work-item reads all pixels under its mask from global memory.
__kernel void naiveConvolution(__global const real *image, __global const real *mask, __global real *result,
                               uint32_t height, uint32_t width)
{
    const int row = get_global_id(1), col = get_global_id(0);
    if (row >= height || col >= width)
        return;

    real sum = 0;
    for (int i = -R; i <= R; i++)
        for (int j = -R; j <= R; j++) {
            const int y = row + i, x = col + j;
            if (y >= 0 && y < (int)height && x >= 0 && x < (int)width)
                sum += mask[(i + R) * (2 * R + 1) + j + R] * image[y * width + x];
        }
    result[row * width + col] = sum;
}
