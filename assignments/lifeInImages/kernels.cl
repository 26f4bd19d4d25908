// lifeInImages: one generation of the Game of Life on a torus, with images.
//
// now and next are images of width x height pixels with one channel (CL_R, CL_UNSIGNED_INT8). A pixel is a cell: 1 if it
// is alive, 0 if it is dead.
// A living cell stays alive with two or three living neighbours. A dead cell comes alive with three. All others are
// dead. The field is a torus: the last column is next to the first one, and the last row is next to the first one.
// Let each group load its tile and the border of neighbours around it into local memory, and count there.
//
// torus is a sampler that repeats the image in each direction. Its coordinates are from 0 to 1: the middle of pixel
// (x, y) is at ((x + 0.5) / width, (y + 0.5) / height).
//
// Launch:   work-group (TILE_W, TILE_H), global (ceil(width/TILE_W)*TILE_W, ceil(height/TILE_H)*TILE_H), once for each
//           generation: dimension 0 is along a row. Between two generations the host swaps now and next.
// Defined:  TILE_W (32), TILE_H (8).
//
// Work-items outside of the field must help to load the tile and reach every barrier.
__kernel void lifeInImages(read_only image2d_t now, write_only image2d_t next, sampler_t torus)
{
    // __local uchar tile[TILE_H + 2][TILE_W + 2];

    // TODO: load the tile and its border (read_imageui). Which pixel is to the left of column 0?
    // TODO: count the living neighbours, and store the cell of the next generation (write_imageui), if it is inside
    //       the image
}
