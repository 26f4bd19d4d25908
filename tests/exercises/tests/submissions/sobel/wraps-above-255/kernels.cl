// Large lengths are not cut off.
__kernel void sobel(__global const uchar *grey, __global uchar *edges, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float length = 0;
    if (x > 0 && y > 0 && x + 1 < width && y + 1 < height) {
        __global const uchar *above = grey + (y - 1) * width + x, *here = above + width, *below = here + width;
        const int gx = above[1] - above[-1] + 2 * (here[1] - here[-1]) + below[1] - below[-1];
        const int gy = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
        length = sqrt((float)(gx * gx + gy * gy));
    }
    edges[y * width + x] = (uchar)(int)length;
}
