// A race of a shared accumulator, in a function without debug locations: the simulator's messages name no line of it.
__attribute__((nodebug)) __kernel void coalsProgrm(__global real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    __local real accum;
    uint32_t row = get_global_id(0);

    if (row < height) {
        accum = 0;
        for (uint32_t j = 0; j < width; j++) {
            real a = Atr[j * height + row];
            accum = a * a - accum;
            Btr[j * height + row] = accum;
        }
    }
}
