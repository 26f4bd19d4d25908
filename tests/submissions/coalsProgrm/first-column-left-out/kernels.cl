__kernel void coalsProgrm(__global const real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    uint32_t row = get_global_id(0);
    real accum = 0;                 // this is column 0
    if (row < height) {
        for (uint32_t col = 1; col < width; col++) {
            uint32_t at = col * height + row;
            accum = pown(Atr[at], 2) - accum;
            Btr[at] = accum;
        }
    }
}
