// mandelbrot: for each pixel, the number of iterations z = z*z + c until |z| > 2, but at most limit.
//
// counts is height x width, row-major. z starts as 0. c belongs to the centre of the pixel:
//   real part       left + (col + 0.5) * stepX
//   imaginary part  top + (row + 0.5) * stepY
//
// Launch:   work-group (TILE, TILE), global (width, height), each rounded up to a multiple of TILE.
// Defined:  real (float), TILE (16), uint32_t (uint).
__kernel void mandelbrot(__global uint *counts, uint32_t height, uint32_t width, uint32_t limit,
                         real left, real top, real stepX, real stepY)
{
    // TODO: which pixel is this work-item's, and is it in the image?
    // TODO: iterate. How does the loop end, and what does a product of complex numbers need?
    // TODO: store the count
}
