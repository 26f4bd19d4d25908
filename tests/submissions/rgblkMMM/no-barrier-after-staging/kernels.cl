typedef uint uint32_t;

__kernel void rgblkMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    __local real Ash[RT][RT+1];
    real cs[RT];
    uint32_t lid = get_local_id(0);
    uint32_t tx = lid % RT, ty = lid / RT;
    uint32_t ii = get_group_id(1) * RT;
    uint32_t j  = get_global_id(0);

    for (uint32_t i = 0; i < RT; i++) cs[i] = 0.0;

    for (uint32_t kk = 0; kk < widthA; kk += RT) {
        Ash[ty][tx] = (ii+ty < heightA && kk+tx < widthA) ? A[(ii+ty)*widthA + kk+tx] : 0.0f;
        for (uint32_t k = 0; k < RT; k++) {
            real b = (kk+k < widthA && j < widthB) ? B[(kk+k)*widthB + j] : 0.0f;
            for (uint32_t i = 0; i < RT; i++)
                cs[i] += Ash[i][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);   // done with this tile
    }

    for (uint32_t i = 0; i < RT; i++)
        if (ii+i < heightA && j < widthB)
            C[(ii+i)*widthB + j] = cs[i];
}
