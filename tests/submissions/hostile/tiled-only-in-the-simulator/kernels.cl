// An overflow distinguishes the simulator from an optimising compiler. The kernel is
// tiled there and naive on the device, so the counted code is not the code that runs.

int is_simulated(uint32_t size)
{
    const int most = 0x7fffffff - (size == 0x7fffffff);
    return !(most + 1 > most);
}

__kernel void blockMMM(__global real *A, __global real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Atile[TILE][TILE], Btile[TILE][TILE];
    const uint32_t x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    real sum = 0;
    if (is_simulated(heightA)) {
        for (uint32_t k = 0; k < widthA; k += TILE) {
            Atile[ly][lx] = y < heightA && k + lx < widthA ? A[y * widthA + k + lx] : 0;
            Btile[ly][lx] = k + ly < widthA && x < widthB ? B[(k + ly) * widthB + x] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint32_t i = 0; i < TILE; i++)
                sum += Atile[ly][i] * Btile[i][lx];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    } else if (x < widthB && y < heightA) {
        for (uint32_t k = 0; k < widthA; k++)
            sum += A[y * widthA + k] * B[k * widthB + x];
    }
    if (x < widthB && y < heightA)
        C[y * widthB + x] = sum;
}
