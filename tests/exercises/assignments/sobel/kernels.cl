// sobel: edges[y][x] = min(sqrt(gx*gx + gy*gy), 255) for each pixel that has eight neighbours, and 0 at the border.
// gx adds up the neighbours with the weights -1 0 1, -2 0 2, -1 0 1, and gy with the same weights transposed.
//
// Launch:   work-group (TILE, TILE), global (ceil(width/TILE)*TILE, ceil(height/TILE)*TILE).
// Defined:  TILE (16), uint32_t (uint).
__kernel void sobel(__global const uchar *grey, __global uchar *edges, uint32_t height, uint32_t width)
{
    // TODO
}
