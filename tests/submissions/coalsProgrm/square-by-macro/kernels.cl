#define SQUARE(x) ((x) * (x))
#define AT(M, i, j) M[(j) * height + (i)]

__kernel void coalsProgrm(__global const real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    const uint32_t i = get_global_id(0);
    if (i >= height)
        return;
    real accum = 0;
    for (uint32_t j = 0; j < width; j++) {
        accum = SQUARE(AT(Atr, i, j)) - accum;    // names the word twice, which compilers read once
        AT(Btr, i, j) = accum;
    }
}
