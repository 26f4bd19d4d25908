typedef uint uint32_t;

real load(__global const real* M, uint32_t r, uint32_t c, uint32_t rows, uint32_t cols) {
    return r < rows && c < cols ? M[r*cols + c] : (real)0;
}

__kernel void coalsTransp(__global real* A, __global real* B, uint32_t height, uint32_t width, __local real* t) {
    const int me = get_local_id(1)*TILE + get_local_id(0);
    const int r = me / TILE, c = me % TILE;
    const uint32_t r0 = get_group_id(1)*TILE, c0 = get_group_id(0)*TILE;

    t[r + c*(TILE+1)] = load(A, r0 + r, c0 + c, height, width);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (c0 + r >= width || r0 + c >= height)
        return;                         // past the last barrier, so nobody waits for us
    B[(c0 + r)*height + r0 + c] = t[r*(TILE+1) + c];
}
