"""Simple right kernels, for tests that change single lines of them or count their work."""

TRANSPOSITION = """\
__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];

    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t x0 = get_group_id(0) * TILE;
    const uint32_t y0 = get_group_id(1) * TILE;

    if (y0 + ly < height && x0 + lx < width)
        tile[ly][lx] = A[(y0 + ly) * width + (x0 + lx)];

    barrier(CLK_LOCAL_MEM_FENCE);

    if (x0 + ly < width && y0 + lx < height)
        B[(x0 + ly) * height + (y0 + lx)] = tile[lx][ly];
}
"""

PRODUCT = """\
__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[TILE][TILE];
    __local real Bsh[TILE][TILE];

    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t col = get_global_id(0);
    const uint32_t row = get_global_id(1);

    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        Ash[ly][lx] = (row < heightA && k0 + lx < widthA) ? A[row * widthA + (k0 + lx)] : (real)0;
        Bsh[ly][lx] = (k0 + ly < widthA && col < widthB) ? B[(k0 + ly) * widthB + col] : (real)0;

        barrier(CLK_LOCAL_MEM_FENCE);    // both tiles are complete before anyone reads them

        for (uint32_t k = 0; k < TILE; k++)
            sum += Ash[ly][k] * Bsh[k][lx];

        barrier(CLK_LOCAL_MEM_FENCE);    // everyone has read them before the next step overwrites them
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
"""

REGISTER_PRODUCT = """\
__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[RT][RT + 1];

    const uint32_t lid = get_local_id(0);
    const uint32_t row0 = get_group_id(1) * RT;
    const uint32_t col = get_group_id(0) * RT * RT + lid;
    const uint32_t tileRow = lid / RT;
    const uint32_t tileCol = lid % RT;

    real cs[RT];
    for (uint32_t r = 0; r < RT; r++)
        cs[r] = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        const bool inside = row0 + tileRow < heightA && k0 + tileCol < widthA;
        Ash[tileRow][tileCol] = inside ? A[(row0 + tileRow) * widthA + (k0 + tileCol)] : (real)0;

        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < RT; k++) {
            const real b = (k0 + k < widthA && col < widthB) ? B[(k0 + k) * widthB + col] : (real)0;
            for (uint32_t r = 0; r < RT; r++)
                cs[r] += Ash[r][k] * b;
        }

        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint32_t r = 0; r < RT; r++)
        if (row0 + r < heightA && col < widthB)
            C[(row0 + r) * widthB + col] = cs[r];
}
"""


def changed(source, old, new):
    """Return the source with `old` replaced by `new`. `old` must occur exactly once."""
    assert source.count(old) == 1, old
    return source.replace(old, new)
