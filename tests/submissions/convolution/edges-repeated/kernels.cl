#define SIDE (TILE + 2 * R)
#define N (2 * R + 1)

__kernel void convolution(__global const real *image, __constant real *mask, __global real *result,
                          uint32_t height, uint32_t width)
{
    __local real tile[SIDE * SIDE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int left = get_group_id(0) * TILE - R, top = get_group_id(1) * TILE - R;
    for (int i = y * TILE + x; i < SIDE * SIDE; i += TILE * TILE) {
        const int row = clamp(top + i / SIDE, 0, (int)height - 1), col = clamp(left + i % SIDE, 0, (int)width - 1);
        tile[i] = image[row * width + col];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint32_t row = get_global_id(1), col = get_global_id(0);
    if (row >= height || col >= width)
        return;
    real sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += mask[i * N + j] * tile[(y + i) * SIDE + x + j];
    result[row * width + col] = sum;
}
