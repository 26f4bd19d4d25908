#define STRIDE (TILE + 1)

inline bool inside(uint r, uint c, uint rows, uint cols) { return r < rows && c < cols; }

/* The element is put at its transposed place when it comes in,
   so the second half just reads the tile row by row. */
kernel void coalsTransp(global const real *A, global real *B, uint height, uint width)
{
    local real t[TILE * STRIDE];
    const size_t i = get_local_id(1), j = get_local_id(0);
    const uint bi = get_group_id(1) * TILE, bj = get_group_id(0) * TILE;

    if (inside(bi + i, bj + j, height, width)) {
        global const real *from = A + (size_t)(bi + i) * width + bj;
        t[j * STRIDE + i] = from[j];
    }

    barrier(CLK_LOCAL_MEM_FENCE);

    if (inside(bj + i, bi + j, width, height)) {
        global real *to = B + (size_t)(bj + i) * height + bi;
        to[j] = t[i * STRIDE + j];
    }
}
