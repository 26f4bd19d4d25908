__kernel void coalsProgrm(__global const real* Atr, __global real* Btr,
                          uint32_t height, uint32_t width)
{
    size_t gid = get_global_id(0);
    real acc = 1;

    if (gid < height) {
        for (size_t k = gid; k < (size_t)width * height; k += height) {
            acc = Atr[k] * Atr[k] - acc;
            Btr[k] = acc;
        }
    }
}
