// deal the rows out like cards, so that every work-group gets some of the idle ones at the end
__kernel void coalsProgrm(__global real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    uint32_t i = get_local_id(0) * get_num_groups(0) + get_group_id(0);
    if (i >= height)
        return;

    // first the squares
    for (uint32_t j = 0; j < width; j++) {
        real a = Atr[j * height + i];
        Btr[j * height + i] = a * a;
    }
    // then the differences
    for (uint32_t j = 1; j < width; j++)
        Btr[j * height + i] -= Btr[(j - 1) * height + i];
}
