__kernel void coalescedProgram(__global real* Atr, __global real* Btr, uint32_t height, uint32_t width)
{
    uint32_t i = get_global_id(0);
    if (i >= height) return;
    real accum = 0;
    for (uint32_t j = 0; j < width; j++) {
        real a = Atr[j * height + i];
        accum = a * a - accum;
        Btr[j * height + i] = accum;
    }
}
