// gaussianBlur: blurs an image in two passes, along the rows and then along the columns.
//
// weights has 2*R+1 elements, whose sum is 1: weights[R+d] belongs to the pixel at distance d.
// blurRows:     pixel (x, y) of between is the sum of weights[R+d] * source(x+d, y), d from -R to R.
// blurColumns:  pixel (x, y) of target is the sum of weights[R+d] * between(x, y+d), d from -R to R.
// A read outside the image returns the nearest pixel of the image. The sampler edge does this.
//
// Launch:   work-group (TILE, TILE), global (ceil(width/TILE)*TILE, ceil(height/TILE)*TILE).
// Defined:  real (float), TILE (16), R (4).
//
// get_image_width and get_image_height return the size of an image.
__kernel void blurRows(read_only image2d_t source, write_only image2d_t between, __global const real *weights,
                       sampler_t edge)
{
    // TODO: which pixel does this work-item compute, and is it inside the image?
    // TODO: add up 2*R+1 weighted pixels of its row (read_imagef), and store the sum (write_imagef)
}

__kernel void blurColumns(read_only image2d_t between, write_only image2d_t target, __global const real *weights,
                          sampler_t edge)
{
    // TODO: the same along the column
}
