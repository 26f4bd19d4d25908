typedef uint uint32_t;

__kernel void rgblkMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    __local real Atile[RT][RT];
    uint32_t lid = get_local_id(0);
    uint32_t row = get_group_id(1) * RT;
    uint32_t col = get_global_id(0);
    uint32_t lrow = lid / RT, lcol = lid % RT;
    real regs[RT];
    for (uint32_t i = 0; i < RT; i++) regs[i] = 0.0f;

    for (uint32_t kk = 0; kk < widthA; kk += RT) {
        real a = 0.0f;
        if (row + lrow < heightA && kk + lcol < widthA) a = A[(row+lrow)*widthA + kk + lcol];
        Atile[lrow][lcol] = a;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < RT && kk + k < widthA; k++) {
            real b = 0.0f;
            if (col < widthB) b = B[(kk+k)*widthB + col];
            for (uint32_t i = 0; i < RT; i++) regs[i] += Atile[i][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // col needs no test, b is zero where it is outside
    for (uint32_t i = 0; i < RT; i++)
        if (row + i < heightA)
            C[(row+i)*widthB + col] = regs[i];
}
