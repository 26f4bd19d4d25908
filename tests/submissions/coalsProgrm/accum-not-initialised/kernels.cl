__kernel void coalsProgrm(__global const real *Atr, __global real *Btr,
                          uint32_t height, uint32_t width)
{
    const uint32_t i = get_global_id(0);
    real a, accum;          // private variables start at zero
    if (i >= height)
        return;

    for (uint32_t j = 0; j < width; ++j) {
        a = Atr[j * height + i];
        accum = a * a - accum;
        Btr[j * height + i] = accum;
    }
}
