// my card likes 8 x 32 work-groups best
#define WGX 32
#define WGY 8

__kernel __attribute__((reqd_work_group_size(WGX, WGY, 1)))
void blockMMM(__global real *A, __global real *B, __global real *C,
              uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real As[WGY][WGY];
    __local real Bs[WGY][WGX];
    uint32_t lx = get_local_id(0), ly = get_local_id(1);
    uint32_t col = get_global_id(0), row = get_global_id(1);
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += WGY) {
        if (lx < WGY)
            As[ly][lx] = (row < heightA && k0 + lx < widthA) ? A[row*widthA + k0 + lx] : (real)0;
        Bs[ly][lx] = (col < widthB && k0 + ly < widthA) ? B[(k0 + ly)*widthB + col] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < WGY; k++)
            sum += As[ly][k] * Bs[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < heightA && col < widthB)
        C[row*widthB + col] = sum;
}
