// convolution: each pixel of result is the sum of the products of a mask with the pixels around it.
//
//   result[row][col] = sum of mask[i][j] * image[row + i - R][col + j - R], for i and j from 0 to 2*R
//
// image and result are height x width, mask is (2*R+1) x (2*R+1), all row-major. Pixels outside the image are zero.
//
// Launch:   work-group (TILE, TILE), global (width, height), each rounded up to a multiple of TILE.
// Defined:  real (float), TILE (16), R (3), uint32_t (uint).
#define SIDE (TILE + 2 * R)    // pixels in a row of a tile with its halo

__kernel void convolution(__global const real *image, __constant real *mask, __global real *result,
                          uint32_t height, uint32_t width)
{
    __local real tile[SIDE * SIDE];

    // TODO: load the group's pixels and R pixels around them. There are more of them than work-items
    // TODO: which of them are outside the image, and what are they?
    // TODO: when may work-items use pixels that others have loaded?
    // TODO: add up the products, and store the sum
}
