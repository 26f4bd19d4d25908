#define AHEAD 8

/* Up to AHEAD columns of one row; words[] past `n` stay unset and are not used. */
void fetch(real words[AHEAD], __global const real *from, uint32_t step, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        words[i] = from[i * step];
}

__kernel void coalsProgrm(__global real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    uint32_t row = get_global_id(0);
    real words[AHEAD];
    real accum = 0;

    if (row >= height)
        return;

    for (uint32_t j = 0; j < width; j += AHEAD) {
        uint32_t n = min((uint32_t)AHEAD, width - j);
        fetch(words, Atr + j * height + row, height, n);
        for (uint32_t i = 0; i < n; i++) {
            accum = words[i] * words[i] - accum;
            Btr[(j + i) * height + row] = accum;
        }
    }
}
