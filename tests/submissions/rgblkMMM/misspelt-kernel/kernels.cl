__kernel void rgblockMMM(__global real *A, __global real *B, __global real *C,
                         uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real tile[RT][RT + 1];
    uint32_t lid = get_local_id(0);
    uint32_t row0 = get_group_id(1) * RT;
    uint32_t col = get_global_id(0);
    real regs[RT];
    for (int r = 0; r < RT; r++) regs[r] = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        uint32_t r = row0 + lid / RT, k = k0 + lid % RT;
        tile[lid / RT][lid % RT] = (r < heightA && k < widthA) ? A[r * widthA + k] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int q = 0; q < RT; q++) {
            real b = (k0 + q < widthA && col < widthB) ? B[(k0 + q) * widthB + col] : 0;
            for (int p = 0; p < RT; p++) regs[p] += tile[p][q] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int p = 0; p < RT; p++)
        if (row0 + p < heightA && col < widthB)
            C[(row0 + p) * widthB + col] = regs[p];
}
