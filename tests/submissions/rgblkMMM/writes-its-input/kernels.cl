typedef uint uint32_t;

__kernel void rgblkMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    __local real Aloc[RT][RT+1];
    uint32_t lid = get_local_id(0);
    uint32_t ly = lid / RT, lx = lid % RT;
    uint32_t i0 = get_group_id(1) * RT;
    uint32_t j = get_global_id(0);
    real cs[RT];
    for (uint32_t i = 0; i < RT; i++) cs[i] = 0.0f;

    for (uint32_t kk = 0; kk < widthA; kk += RT) {
        bool in = i0 + ly < heightA && kk + lx < widthA;
        Aloc[ly][lx] = in ? A[(i0+ly)*widthA + kk+lx] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < RT; k++) {
            real b = (kk+k < widthA && j < widthB) ? B[(kk+k)*widthB + j] : 0.0f;
            for (uint32_t i = 0; i < RT; i++) cs[i] += Aloc[i][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // the last group of the row is done with this block of A: clean up
        if (in && get_group_id(0) == get_num_groups(0) - 1)
            A[(i0+ly)*widthA + kk+lx] = 0.0f;
    }

    for (uint32_t i = 0; i < RT; i++)
        if (i0 + i < heightA && j < widthB) C[(i0+i)*widthB + j] = cs[i];
}
