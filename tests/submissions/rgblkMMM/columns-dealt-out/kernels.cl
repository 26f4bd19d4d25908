__kernel void rgblkMMM(__global real *A, __global real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[RT][RT + 1];
    uint32_t lid = get_local_id(0);
    uint32_t tx = lid % RT, ty = lid / RT;
    uint32_t row = get_group_id(1) * RT;
    // work-item (tx, ty) of the 16 x 16 has column tx * RT + ty
    uint32_t col = get_group_id(0) * RT * RT + tx * RT + ty;
    real cs[RT];
    for (uint32_t i = 0; i < RT; i++) cs[i] = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        Ash[ty][tx] = row + ty < heightA && k0 + tx < widthA ? A[(row + ty) * widthA + k0 + tx] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < RT; k++) {
            real b = 0;
            if (k0 + k < widthA && col < widthB)
                b = B[(k0 + k) * widthB + col];
            for (uint32_t i = 0; i < RT; i++) cs[i] += Ash[i][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint32_t i = 0; i < RT; i++)
        if (row + i < heightA && col < widthB)
            C[(row + i) * widthB + col] = cs[i];
}
