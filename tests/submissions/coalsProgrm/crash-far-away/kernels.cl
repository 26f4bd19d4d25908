// columns are numbered from 1, as in the lecture notes
__kernel void coalsProgrm(__global real* Atr, __global real* Btr, uint32_t height, uint32_t width)
{
    uint32_t row = get_global_id(0);
    if (row >= height) return;

    real accum = 0;
    for (uint32_t j = 0; j < width; j++) {
        uint32_t in  = j * height + row;
        uint32_t out = (j - 1) * height + row;
        accum = Atr[in] * Atr[in] - accum;
        Btr[out] = accum;
    }
}
