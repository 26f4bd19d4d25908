// All five kernels of the exercise in one file, as handed out and filled in.
typedef uint uint32_t;

uint32_t flat(uint32_t row, uint32_t col, uint32_t width) { return row*width + col; }
real square(real x) { return x*x; }

__kernel void coalsTransp(__global real* A, __global real* B, uint32_t height, uint32_t width) {
    __local real tile[TILE][TILE+1];
    uint32_t x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    if (x < width && y < height) tile[ly][lx] = A[flat(y, x, width)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1)*TILE + lx;  y = get_group_id(0)*TILE + ly;
    if (x < height && y < width) B[flat(y, x, height)] = tile[lx][ly];
}
__kernel void coalsProgrm(__global real* Atr, __global real* Btr, uint32_t height, uint32_t width) {
    uint32_t gid = get_global_id(0);
    real accum = 0.0;
    for (uint32_t j = 0; gid < height && j < width; j++) {
        accum = square(Atr[flat(j, gid, height)]) - accum;
        Btr[flat(j, gid, height)] = accum;
    }
}
__kernel void optimProgrm(__global real* A, __global real* B, uint32_t height, uint32_t width) {
    __local real buf[PRG_WGSIZE][CHUNK+1];
    uint32_t lid = get_local_id(0), row0 = get_group_id(0)*PRG_WGSIZE, i, j;
    uint32_t lx = lid % CHUNK, ly = lid / CHUNK;
    real accum = 0.0;
    for (j = 0; j < width; j += CHUNK) {
        for (i = ly; i < PRG_WGSIZE; i += PRG_WGSIZE/CHUNK)
            if (row0+i < height && j+lx < width) buf[i][lx] = A[flat(row0+i, j+lx, width)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (i = 0; i < CHUNK; i++) { accum = square(buf[lid][i]) - accum; buf[lid][i] = accum; }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (i = ly; i < PRG_WGSIZE; i += PRG_WGSIZE/CHUNK)
            if (row0+i < height && j+lx < width) B[flat(row0+i, j+lx, width)] = buf[i][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
__kernel void blockMMM(__global real* A, __global real* B, __global real* C, uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    uint32_t x = get_global_id(0), y = get_global_id(1);    // not blocked yet
    real accum = 0.0;
    for (uint32_t k = 0; k < widthA && x < widthB && y < heightA; k++) accum += A[flat(y, k, widthA)] * B[flat(k, x, widthB)];
    if (x < widthB && y < heightA) C[flat(y, x, widthB)] = accum;
}
__kernel void rgblkMMM(__global real* A, __global real* B, __global real* C, uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    __local real Aloc[RT][RT+1];
    real cs[RT];
    uint32_t lid = get_local_id(0), i0 = get_group_id(1)*RT, j = get_global_id(0), i, k, kk;
    for (i = 0; i < RT; i++) cs[i] = 0.0;
    for (kk = 0; kk < widthA; kk += RT) {
        uint32_t r = i0 + lid/RT, c = kk + lid%RT;
        Aloc[lid/RT][lid%RT] = (r < heightA && c < widthA) ? A[flat(r, c, widthA)] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (k = 0; k < RT; k++) {
            real b = (kk+k < widthA && j < widthB) ? B[flat(kk+k, j, widthB)] : 0.0f;
            for (i = 0; i < RT; i++) cs[i] += Aloc[i][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (i = 0; i < RT; i++) if (i0+i < heightA && j < widthB) C[flat(i0+i, j, widthB)] = cs[i];
}
