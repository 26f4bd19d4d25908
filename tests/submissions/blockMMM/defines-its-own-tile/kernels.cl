#define TILE 8
#define HALF (TILE / 2)

__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real a[TILE][TILE], b[TILE][TILE];
    const uint32_t x = get_local_id(0), y = get_local_id(1);
    const uint32_t row = get_group_id(1) * TILE + y, col = get_group_id(0) * TILE + x;
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        if (x < TILE && y < TILE) {
            a[y][x] = row < heightA && k0 + x < widthA ? A[row * widthA + k0 + x] : 0;
            b[y][x] = k0 + y < widthA && col < widthB ? B[(k0 + y) * widthB + col] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x < TILE && y < TILE)
            for (uint32_t k = 0; k < HALF; k++)
                sum += a[y][2 * k] * b[2 * k][x] + a[y][2 * k + 1] * b[2 * k + 1][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x < TILE && y < TILE && row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}
