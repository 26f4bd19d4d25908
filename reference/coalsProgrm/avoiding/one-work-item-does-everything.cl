// One work-item goes through all rows.
__kernel void coalsProgrm(__global const real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    for (uint32_t row = 0; get_global_id(0) == 0 && row < height; row++) {
        real accum = 0;
        for (uint32_t col = 0; col < width; col++) {
            const real a = Atr[col * height + row];
            accum = a * a - accum;
            Btr[col * height + row] = accum;
        }
    }
}
