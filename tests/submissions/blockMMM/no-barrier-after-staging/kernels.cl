typedef uint uint32_t;

// one barrier a step keeps the group together
__kernel void blockMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    __local real Ash[TILE][TILE];
    __local real Bsh[TILE][TILE];
    uint32_t tx = get_local_id(0), ty = get_local_id(1);
    uint32_t x  = get_global_id(0), y = get_global_id(1);
    real accum = 0.0;

    for (uint32_t kk = 0; kk < widthA; kk += TILE) {
        Ash[ty][tx] = (y < heightA && kk+tx < widthA) ? A[y*widthA + kk+tx] : 0.0f;
        Bsh[ty][tx] = (kk+ty < widthA && x < widthB) ? B[(kk+ty)*widthB + x] : 0.0f;
        for (uint32_t k = 0; k < TILE; k++)
            accum += Ash[ty][k] * Bsh[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (y < heightA && x < widthB)
        C[y*widthB + x] = accum;
}
