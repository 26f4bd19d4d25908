typedef uint uint32_t;

__kernel void blockMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    __local real As[TILE][TILE];
    __local real Bs[TILE][TILE];

    uint32_t lx = get_local_id(0), ly = get_local_id(1);
    uint32_t gx = get_global_id(0), gy = get_global_id(1);
    real sum = 0.0;

    for (uint32_t t = 0; t < widthA; t += TILE) {
        As[ly][lx] = (gy < heightA && t + lx < widthA) ? A[gy*widthA + t + lx] : 0.0f;
        Bs[ly][lx] = (gx < widthB  && t + ly < widthA) ? B[(t + ly)*widthB + gx] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            sum += As[ly][k] * Bs[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // only rows of C may be written
    if (gy < heightA)
        C[gy*widthB + gx] = sum;
}
