// @ASSIGNMENT@: each pixel of target is the mean of nine pixels of source, itself and its neighbours.
//
// With the sampler edge, a read outside the image returns the nearest pixel of the image.
//
// Launch:   work-group (TILE, TILE), global (ceil(width/TILE)*TILE, ceil(height/TILE)*TILE).
// Defined:  TILE (16), uint32_t (uint).
__kernel void @ASSIGNMENT@(read_only image2d_t source, write_only image2d_t target, sampler_t edge,
                           uint32_t height, uint32_t width)
{
    // TODO: copy (TILE+2) x (TILE+2) pixels to local memory with read_imagef
    // TODO: add up nine of them, and store the mean with write_imagef, but not outside the image
}
