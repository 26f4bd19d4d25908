__kernel void coalsProgrm(__global real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    const uint32_t last = height - 1;
    const uint32_t i = get_global_id(0);
    if (i >= last)          // outside of the matrix
        return;
    real accum = 0;
    for (uint32_t j = 0; j < width; ++j) {
        const real a = Atr[i + j * height];
        accum = a * a - accum;
        Btr[i + j * height] = accum;
    }
}
