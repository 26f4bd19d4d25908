typedef uint uint32_t;
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)

real advance(real a, real accum) { return a*a - accum; }
real fetch(__global real* M, uint32_t i, uint32_t j, uint32_t h, uint32_t w) { return (i < h && j < w) ? M[i*w + j] : (real)0; }

__kernel void coalsTransp(__global real* A, __global real* B, uint32_t height, uint32_t width) {
    __local real tile[TILE][TILE+1];
    uint32_t lx = get_local_id(0), ly = get_local_id(1);
    uint32_t bx = get_group_id(0) * TILE, by = get_group_id(1) * TILE;
    tile[ly][lx] = fetch(A, by + ly, bx + lx, height, width);
    SYNC;
    if (bx + ly < width && by + lx < height) B[(bx + ly)*height + by + lx] = tile[lx][ly];
}
#ifdef PRG_WGSIZE
__kernel void coalsProgrm(__global real* Atr, __global real* Btr, uint32_t height, uint32_t width) {
    uint32_t g = get_global_id(0);
    real acc = 0;
    if (g < height) for (uint32_t j = 0; j < width; j++) Btr[j*height + g] = acc = advance(Atr[j*height + g], acc);
}
#endif
#ifdef CHUNK
__kernel void optimProgram(__global real* A, __global real* B, uint32_t height, uint32_t width) {
    __local real blk[PRG_WGSIZE][CHUNK+1];
    uint32_t l = get_local_id(0), r0 = get_group_id(0) * PRG_WGSIZE, c = l % CHUNK;
    real acc = 0;
    for (uint32_t j = 0; j < width; j += CHUNK) {
        for (uint32_t r = l / CHUNK; r < PRG_WGSIZE; r += PRG_WGSIZE/CHUNK) blk[r][c] = fetch(A, r0 + r, j + c, height, width);
        SYNC;
        for (uint32_t k = 0; k < CHUNK; k++) blk[l][k] = acc = advance(blk[l][k], acc);
        SYNC;
        for (uint32_t r = l / CHUNK; r < PRG_WGSIZE; r += PRG_WGSIZE/CHUNK)
            if (r0 + r < height && j + c < width) B[(r0 + r)*width + j + c] = blk[r][c];
    }
}
#endif
__kernel void blockMMM(__global real* A, __global real* B, __global real* C, uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    __local real As[TILE][TILE], Bs[TILE][TILE];
    uint32_t lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    real c = 0;
    for (uint32_t k = 0; k < widthA; k += TILE) {
        As[ly][lx] = fetch(A, y, k + lx, heightA, widthA);
        Bs[ly][lx] = fetch(B, k + ly, x, widthA, widthB);
        SYNC;
        for (uint32_t q = 0; q < TILE; q++) c += As[ly][q] * Bs[q][lx];
        SYNC;
    }
    if (y < heightA && x < widthB) C[y*widthB + x] = c;
}
#ifdef RT
__kernel void rgblkMMM(__global real* A, __global real* B, __global real* C, uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    /* not finished yet, week 5 */
}
#endif
