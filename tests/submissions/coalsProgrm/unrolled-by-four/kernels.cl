// unrolled 4 times: the four loads do not depend on each other
__kernel void coalsProgrm(__global const real *restrict Atr, __global real *restrict Btr,
                          const uint32_t height, const uint32_t width)
{
    const size_t row = get_global_id(0);
    if (row >= height) return;

    __global const real *in = Atr + row;
    __global real *out = Btr + row;
    const size_t h = height;
    real accum = 0;
    uint32_t left = width;

    for (; left >= 4; left -= 4) {
        const real a0 = in[0], a1 = in[h], a2 = in[2 * h], a3 = in[3 * h];
        in += 4 * h;
        const real r0 = a0 * a0 - accum;
        const real r1 = a1 * a1 - r0;
        const real r2 = a2 * a2 - r1;
        accum = a3 * a3 - r2;
        out[0] = r0;
        out[h] = r1;
        out[2 * h] = r2;
        out[3 * h] = accum;
        out += 4 * h;
    }
    while (left-- > 0) {
        accum = *in * *in - accum;
        *out = accum;
        in += h;
        out += h;
    }
}
