// sizes as long so that the index products cannot overflow
__kernel void blockMMM(__global real* A, __global real* B, __global real* C,
                       long heightA, long widthB, long widthA)
{
    __local real Atile[TILE][TILE];
    __local real Btile[TILE][TILE];
    int tx = get_local_id(0), ty = get_local_id(1);
    long x = get_global_id(0), y = get_global_id(1);
    real s = 0;
    for (long kk = 0; kk < widthA; kk += TILE) {
        Atile[ty][tx] = (y < heightA && kk + tx < widthA) ? A[y*widthA + kk + tx] : 0;
        Btile[ty][tx] = (x < widthB && kk + ty < widthA) ? B[(kk + ty)*widthB + x] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            s += Atile[ty][k] * Btile[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (y < heightA && x < widthB)
        C[y*widthB + x] = s;
}
