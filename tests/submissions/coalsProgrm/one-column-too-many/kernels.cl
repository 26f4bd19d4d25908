__kernel void coalsProgrm(__global real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    uint32_t gid = get_global_id(0);
    if (gid < height) {
        real acc = 0;
        uint32_t j = 0;
        do {
            real t = Atr[j * height + gid];
            acc = t * t - acc;
            Btr[j * height + gid] = acc;
            j++;
        } while (j <= width);
    }
}
