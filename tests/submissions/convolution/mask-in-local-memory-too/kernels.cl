#define N (2 * R + 1)
#define SIDE (TILE + 2 * R)
#define ITEMS (TILE * TILE)

// The mask is an ordinary array here, and each group copies it to local memory, too.
kernel void convolution(global const float *restrict in, global const float *restrict weights,
                        global float *restrict out, const uint rows, const uint columns)
{
    local float tile[SIDE * SIDE], mask[N * N];
    const int x = get_local_id(0), y = get_local_id(1), me = y * TILE + x;
    const int x0 = (int)(get_group_id(0) * TILE) - R, y0 = (int)(get_group_id(1) * TILE) - R;

    if (me < N * N)
        mask[me] = weights[me];
    for (int i = me; i < SIDE * SIDE; i += ITEMS) {
        const uint row = y0 + i / SIDE, column = x0 + i % SIDE;    // negative ones wrap around to large ones
        tile[i] = row < rows && column < columns ? in[row * columns + column] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float sums[N] = {0};    // one for each row of the mask
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            sums[i] += tile[(y + i) * SIDE + x + j] * mask[i * N + j];
    float sum = 0;
    for (int i = 0; i < N; i++)
        sum += sums[i];
    if (get_global_id(1) < rows && get_global_id(0) < columns)
        out[get_global_id(1) * columns + get_global_id(0)] = sum;
}
