// No work-item returns early: a work-item without a row reads the last row and stores nothing.
__kernel void coalsProgrm(__global const real *const restrict Atr, __global real *const restrict Btr,
                          const uint32_t height, const uint32_t width)
{
    const uint32_t gid = get_global_id(0);
    const bool mine = gid < height;
    const uint32_t row = mine ? gid : height - 1;
    const uint32_t end = width * height + row;
    uint32_t at = row;
    real accum = 0;

    while (at != end) {
        const real a = Atr[at];
        accum = fma(a, a, -accum);
        if (mine)
            Btr[at] = accum;
        at += height;
    }
}
