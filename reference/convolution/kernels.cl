// Model solution: a tile with a halo in local memory, the mask in constant memory.
//
// The results of a group need its TILE x TILE pixels and R pixels around them. The group loads all of them as one list
// of SIDE * SIDE words, so that its work-items have equal shares, and neighbours load neighbouring words. Each is used
// up to (2*R+1)^2 times. Pixels outside the image are stored as zeros, so the products need no guard.
//
// All work-items of a warp use the same word of the mask at a time, for which constant memory is made.
#define SIDE (TILE + 2 * R)    // pixels in a row of a tile with its halo

__kernel void convolution(__global const real *image, __constant real *mask, __global real *result,
                          uint32_t height, uint32_t width)
{
    __local real tile[SIDE * SIDE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int left = get_group_id(0) * TILE - R, top = get_group_id(1) * TILE - R;    // of the halo; may be negative

    for (int i = y * TILE + x; i < SIDE * SIDE; i += TILE * TILE) {
        const int row = top + i / SIDE, col = left + i % SIDE;
        const bool inside = row >= 0 && row < (int)height && col >= 0 && col < (int)width;
        tile[i] = inside ? image[row * width + col] : (real)0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);    // the tile is complete

    const uint32_t row = get_global_id(1), col = get_global_id(0);
    if (row >= height || col >= width)    // these work-items only helped to load
        return;

    real sum = 0;
#pragma unroll
    for (int i = 0; i <= 2 * R; i++)
#pragma unroll
        for (int j = 0; j <= 2 * R; j++)
            sum += mask[i * (2 * R + 1) + j] * tile[(y + i) * SIDE + x + j];
    result[row * width + col] = sum;
}
