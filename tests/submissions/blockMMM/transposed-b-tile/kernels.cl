// B's tile is stored transposed and padded, so both tiles are read along a row in the
// inner loop, four products at a time.
#define PAD (TILE + 1)

__kernel void blockMMM(__global real *A, __global real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real as[TILE][PAD];
    __local real bt[TILE][PAD];

    size_t c = get_local_id(0);
    size_t r = get_local_id(1);
    size_t col = get_global_id(0);
    size_t row = get_global_id(1);

    real acc = 0;
    for (uint32_t base = 0; base < widthA; base += TILE) {
        as[r][c] = 0;
        bt[c][r] = 0;
        if (row < heightA && base + c < widthA)
            as[r][c] = A[row * widthA + base + c];
        if (col < widthB && base + r < widthA)
            bt[c][r] = B[(base + r) * widthB + col];
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TILE; k += 4) {
            acc += as[r][k] * bt[c][k];
            acc += as[r][k + 1] * bt[c][k + 1];
            acc += as[r][k + 2] * bt[c][k + 2];
            acc += as[r][k + 3] * bt[c][k + 3];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row >= heightA || col >= widthB)
        return;
    C[row * widthB + col] = acc;
}
