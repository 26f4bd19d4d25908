__kernel void rgblkMMM(__global real *A, __global real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    uint32_t j = get_global_id(0);
    if (j >= widthB) return;            // no such column

    __local real Aloc[RT][RT + 1];
    uint32_t lid = get_local_id(0);
    uint32_t i0 = get_group_id(1) * RT;
    real sum[RT];
    for (int i = 0; i < RT; i++) sum[i] = 0;

    for (uint32_t kk = 0; kk < widthA; kk += RT) {
        uint32_t i = i0 + lid / RT, k = kk + lid % RT;
        Aloc[lid / RT][lid % RT] = (i < heightA && k < widthA) ? A[i * widthA + k] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int q = 0; q < RT; q++)
            if (kk + q < widthA) {
                real b = B[(kk + q) * widthB + j];
                for (int p = 0; p < RT; p++) sum[p] += Aloc[p][q] * b;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int p = 0; p < RT; p++)
        if (i0 + p < heightA) C[(i0 + p) * widthB + j] = sum[p];
}
