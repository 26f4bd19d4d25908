// register tiling
__kernel void rgblkMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[RT][RT+1];
    real cs[RT];
    uint32_t lid = get_local_id(0);
    uint32_t ii = get_group_id(1) * RT;
    uint32_t j = get_global_id(0);
    uint32_t y = lid / RT, x = lid % RT;

    for (uint32_t i = 0; i < RT; i++) cs[i] = 0;
    for (uint32_t kk = 0; kk < widthA; kk += RT) {
        Ash[y][x] = (ii+y < heightA && kk+x < widthA) ? A[(ii+y)*widthA + kk+x] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < RT; k++) {
            real b = (kk+k < widthA && gidx < widthB) ? B[(kk+k)*widthB + gidx] : 0;
            for (uint32_t i = 0; i < RT; i++) cs[i] += Ash[i][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint32_t i = 0; i < RT; i++)
        if (ii+i < heightA && j < widthB) C[(ii+i)*widthB + j] = cs[i];
}
