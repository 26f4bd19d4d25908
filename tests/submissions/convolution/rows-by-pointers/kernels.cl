#define SPAN (2 * R + 1)
#define EDGE (TILE + SPAN - 1)

// The whole tile is numbered, and pointers walk over the rows of the tile and the mask.
__kernel void convolution(__global const real *image, __constant real *mask, __global real *result,
                          uint32_t height, uint32_t width)
{
    __local real pixels[EDGE * EDGE];
    const uint32_t lx = get_local_id(0), ly = get_local_id(1);
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    const int left = (int)(x - lx) - R, top = (int)(y - ly) - R;

    for (uint32_t i = ly * TILE + lx; i < EDGE * EDGE; i += TILE * TILE) {
        const int row = top + (int)(i / EDGE), col = left + (int)(i % EDGE);
        const bool outside = row < 0 || row >= (int)height || col < 0 || col >= (int)width;
        pixels[i] = outside ? 0 : image[row * (int)width + col];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (y >= height || x >= width)
        return;
    real sum = 0;
    __constant real *factor = mask;
    __local const real *pixel = pixels + ly * EDGE + lx;
    for (int i = 0; i < SPAN; i++, pixel += EDGE, factor += SPAN) {
        #pragma unroll
        for (int j = 0; j < SPAN; j++)
            sum = fma(factor[j], pixel[j], sum);
    }
    result[y * width + x] = sum;
}
