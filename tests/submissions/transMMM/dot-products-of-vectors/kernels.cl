// Both tiles keep rows that run along k, so four products are one dot().
#define QUADS (TILE / 4)
#define WORD(tile, row, k) (((__local float *)tile[row])[k])

__kernel void transMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t heightB, uint32_t widthA)
{
    __local float4 a[TILE][QUADS];
    __local float4 b[TILE][QUADS + 1];     // one vector more: rows start in other banks, and stay aligned

    const uint32_t lx = get_local_id(0), ly = get_local_id(1);
    const uint32_t row = get_global_id(1), col = get_global_id(0);
    const uint32_t rowB = col - lx + ly;
    real c = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        const bool inside = k0 + lx < widthA;
        WORD(a, ly, lx) = inside && row < heightA ? A[row * widthA + k0 + lx] : (real)0;
        WORD(b, ly, lx) = inside && rowB < heightB ? B[rowB * widthA + k0 + lx] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t q = 0; q < QUADS; q++)
            c += dot(a[ly][q], b[lx][q]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < heightA && col < heightB)
        C[row * heightB + col] = c;
}
