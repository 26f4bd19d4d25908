// The first work-item of a group goes through the rows of all.
__kernel void coalsProgrm(__global const real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    const uint32_t size = get_local_size(0), first = get_group_id(0) * size;
    for (uint32_t row = first; get_local_id(0) == 0 && row < min(first + size, height); row++) {
        real accum = 0;
        for (uint32_t col = 0; col < width; col++) {
            const real a = Atr[col * height + row];
            accum = a * a - accum;
            Btr[col * height + row] = accum;
        }
    }
}
