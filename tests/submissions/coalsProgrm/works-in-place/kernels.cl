// phase 1: the recurrence, phase 2: copy the column out
__kernel void coalsProgrm(__global real* Atr, __global real* Btr, uint32_t height, uint32_t width)
{
    uint32_t row = get_global_id(0);
    if (row >= height) return;

    real accum = 0;
    for (uint32_t j = 0; j < width; j++) {
        __global real* p = &Atr[j * height + row];
        accum = (*p) * (*p) - accum;
        *p = accum;
    }
    for (uint32_t j = 0; j < width; j++)
        Btr[j * height + row] = Atr[j * height + row];
}
