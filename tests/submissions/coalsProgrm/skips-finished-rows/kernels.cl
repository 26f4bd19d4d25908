__kernel void coalsProgrm(__global real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    uint32_t i = get_global_id(0);
    if (i < height) {
        // done by an earlier launch? then save the time
        real first = Atr[i] * Atr[i];
        if (Btr[i] == first)
            return;

        Btr[i] = first;
        real accum = first;
        for (uint32_t pos = i + height; pos < width * height; pos += height) {
            real a = Atr[pos];
            Btr[pos] = accum = a * a - accum;
        }
    }
}
