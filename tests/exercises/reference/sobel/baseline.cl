// Baseline: one work-item for each row.
__kernel void rows(__global const uchar *grey, __global uchar *edges, uint32_t height, uint32_t width)
{
    const int weights[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    const uint32_t y = get_global_id(0);
    if (y >= height)
        return;
    for (uint32_t x = 0; x < width; x++) {
        int gx = 0, gy = 0;
        if (x > 0 && y > 0 && x + 1 < width && y + 1 < height)
            for (int dy = 0; dy < 3; dy++)
                for (int dx = 0; dx < 3; dx++) {
                    gx += weights[dy][dx] * grey[(y + dy - 1) * width + x + dx - 1];
                    gy += weights[dx][dy] * grey[(y + dy - 1) * width + x + dx - 1];
                }
        edges[y * width + x] = min(sqrt((float)(gx * gx + gy * gy)), 255.0f);
    }
}
