typedef uint uint32_t;

__kernel void rgblkMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    __local real Ash[RT][RT+1];
    real cs[RT];
    uint32_t lid = get_local_id(0);
    uint32_t ii  = get_group_id(1) * RT;
    uint32_t j   = get_group_id(0) * RT * RT + lid;
    uint32_t ty  = lid / RT, tx = lid % RT;

    for (uint32_t i = 0; i <= RT-1; i++)
        cs[i] = 0.0f;

    for (uint32_t kk = 0; kk < widthA; kk += RT) {
        Ash[ty][tx] = (ii+ty < heightA && kk+tx < widthA) ? A[(ii+ty)*widthA + kk+tx] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < RT; k++) {
            real b = 0.0f;
            if (kk+k < widthA && j < widthB) b = B[(kk+k)*widthB + j];
            for (uint32_t i = 0; i <= RT-1; i++)
                cs[i] += Ash[i][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint32_t i = 0; i < RT-1; i++)
        if (ii+i < heightA && j < widthB)
            C[(ii+i)*widthB + j] = cs[i];
}
