// The rows of a group are dealt out so that neighbouring work-items are 8 rows apart.
__kernel void coalsProgrm(__global const real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    const uint32_t lid = get_local_id(0), size = get_local_size(0);
    const uint32_t row = get_group_id(0) * size + lid * 8 % size + lid * 8 / size;
    if (row < height) {
        real accum = 0;
        for (uint32_t col = 0; col < width; col++) {
            const real a = Atr[col * height + row];
            accum = a * a - accum;
            Btr[col * height + row] = accum;
        }
    }
}
