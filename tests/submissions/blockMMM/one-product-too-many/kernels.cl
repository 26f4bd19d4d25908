__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real At[TILE][TILE];
    __local real Bt[TILE][TILE];
    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t x = get_group_id(0)*TILE + lx;
    const uint32_t y = get_group_id(1)*TILE + ly;
    uint32_t kk, k;
    real s = 0.0f;

    for (kk = 0; kk < widthA; kk += TILE)
    {
        bool inA = y < heightA && kk + lx < widthA;
        bool inB = x < widthB && kk + ly < widthA;
        At[ly][lx] = inA ? A[y*widthA + kk + lx] : 0.0f;
        Bt[ly][lx] = inB ? B[(kk + ly)*widthB + x] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        // k = 0 .. TILE
        for (k = 0; k <= TILE; k++)
            s += At[ly][k] * Bt[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (x < widthB && y < heightA)
        C[y*widthB + x] = s;
}
