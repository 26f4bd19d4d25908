#define GROUP 64

__kernel void coalsProgrm(__global const real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    const uint32_t row = get_group_id(0) * GROUP + get_local_id(0);
    if (row >= height)
        return;
    real accum = 0;
    for (uint32_t j = 0; j < width; j++) {
        const real a = Atr[j * height + row];
        accum = a * a - accum;
        Btr[j * height + row] = accum;
    }
}
