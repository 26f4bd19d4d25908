__kernel void coalsProgrm(__global real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    uint32_t row = get_global_id(0);
    real accum = 0;

    if (row >= height)
        return;

    for (uint32_t j = 0; j < width; j++) {
        real a = Atr[j * height + row];
        accum = a * a - accum;
        Btr[row] = accum;
    }
}
