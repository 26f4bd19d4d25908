// B[i][j] = A[i][j]^2 - B[i][j-1], straight from the definition
__kernel void coalsProgrm(__global real *Atr, __global real *Btr, uint32_t height, uint32_t width)
{
    const uint32_t i = get_global_id(0);
    if (i >= height) return;

    Btr[i] = Atr[i] * Atr[i];
    for (uint32_t j = 1; j < width; j++) {
        const real a = Atr[j * height + i];
        Btr[j * height + i] = a * a - Btr[(j - 1) * height + i];
    }
}
