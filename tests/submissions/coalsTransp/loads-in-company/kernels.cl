real load(__global const real *from)
{
    return (*from);
}

// stores along the rows of B, loads down the columns of A
__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;
    const uint32_t row = y0 + get_local_id(0), col = x0 + get_local_id(1);

    real first = 0;
    for (uint32_t i = 0; i < 4 && i < width; i++)    // words that all of them read, at the place of the other load
        first += load(A + i);

    if (row < height && col < width) {
        const real word = load(A + row * width + col);
        B[col * height + row] = first == 0.5f ? word : word;
    }
}
