// gameOfLife: one generation of the Game of Life on a torus.
//
// now and next are height x width, row-major, one byte per cell: 1 if it is alive, 0 if it is dead.
// A living cell stays alive with two or three living neighbours. A dead cell comes alive with three. All others are
// dead. The field is a torus: the last column is next to the first one, and the last row is next to the first one.
// Let each group load its tile and the border of neighbours around it into local memory, and count there.
//
// Launch:   work-group (TILE_W, TILE_H), global (ceil(width/TILE_W)*TILE_W, ceil(height/TILE_H)*TILE_H), once for each
//           generation: dimension 0 is along a row. Between two generations the host swaps now and next.
// Defined:  TILE_W (32), TILE_H (8), uint32_t (uint).
//
// Work-items outside of the field must help to load the tile and reach every barrier.
__kernel void gameOfLife(__global const uchar *now, __global uchar *next, uint32_t height, uint32_t width)
{
    // __local uchar tile[TILE_H + 2][TILE_W + 2];

    // TODO: load the tile and its border. Which cell is to the left of column 0?
    // TODO: count the living neighbours, and store the cell of the next generation, if there is such a cell
}
