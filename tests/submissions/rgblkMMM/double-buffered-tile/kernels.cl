// Two tiles of A. In step t the products use tile t % 2, and the other tile is filled for step t + 1.
// The barrier at the end of the step completes the new tile, and keeps the next filling away
// from the tile that was in use.
real word(__global const real *A, uint32_t i, uint32_t k, uint32_t heightA, uint32_t widthA)
{
    return i < heightA && k < widthA ? A[i * widthA + k] : (real)0;
}

__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real tiles[2][RT][RT + 1];
    const uint32_t lid = get_local_id(0), y = lid / RT, x = lid % RT;
    const uint32_t row = get_group_id(1) * RT, col = get_global_id(0);
    const bool hasCol = col < widthB;
    uint32_t now = 0;
    real cs[RT] = {0};

    tiles[0][y][x] = word(A, row + y, x, heightA, widthA);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT, now = 1 - now) {
        tiles[1 - now][y][x] = word(A, row + y, k0 + RT + x, heightA, widthA);

        const uint32_t steps = min((uint32_t)RT, widthA - k0);
        for (uint32_t k = 0; hasCol && k < steps; k++) {
            const real b = B[(k0 + k) * widthB + col];
            #pragma unroll
            for (uint32_t r = 0; r < RT; r++)
                cs[r] += tiles[now][r][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (!hasCol)
        return;
    for (uint32_t r = 0; r < RT; r++)
        if (row + r < heightA)
            C[(row + r) * widthB + col] = cs[r];
}
