// Eight words of a warp are in one bank. Each work-item calls the reading function a different number of times.
real of(__local const real *word) { return *word; }

__kernel void transMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t heightB, uint32_t widthA)
{
    __local real tA[TILE][TILE], tB[TILE][TILE];

    const uint32_t tx = get_local_id(0), ty = get_local_id(1);
    const uint32_t i = get_global_id(1), j = get_global_id(0);
    const uint32_t jLoad = get_group_id(0) * TILE + ty;
    real sum = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        tA[ty][tx] = i < heightA && k0 + tx < widthA ? A[i * widthA + k0 + tx] : (real)0;
        tB[ty][tx] = jLoad < heightB && k0 + tx < widthA ? B[jLoad * widthA + k0 + tx] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t d = 0; d < tx; d++)
            of(&tB[tx][(TILE - tx + d) % TILE]);
        for (uint32_t k = 0; k < TILE; k++)
            sum += tA[ty][k] * of(&tB[tx][k]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (i < heightA && j < heightB)
        C[i * heightB + j] = sum;
}
