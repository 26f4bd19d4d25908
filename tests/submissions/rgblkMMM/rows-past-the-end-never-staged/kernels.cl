typedef uint uint32_t;

__kernel void rgblkMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    __local real At[RT][RT+1];
    uint32_t lid = get_local_id(0);
    uint32_t ii = get_group_id(1) * RT, jj = get_group_id(0) * RT * RT;
    uint32_t ty = lid / RT, tx = lid % RT, j = jj + lid;
    real cs[RT];

    // the same for the whole group, so nobody is left waiting at a barrier
    if (ii >= heightA || jj >= widthB)
        return;

    for (uint32_t i = 0; i < RT; i++) cs[i] = 0;

    for (uint32_t kk = 0; kk < widthA; kk += RT) {
        uint32_t ks = kk + RT <= widthA ? RT : widthA - kk;
        // Row r of the tile goes into cs[r] only, and cs[r] is stored only if the row exists.
        // Columns past ks are not used at all.
        if (ii+ty < heightA && tx < ks)
            At[ty][tx] = A[(ii+ty)*widthA + kk+tx];
        barrier(CLK_LOCAL_MEM_FENCE);

        if (j < widthB) {
            __global const real* b = B + kk*widthB + j;
            for (uint32_t k = 0; k < ks; k++, b += widthB) {
                real bk = *b;
                for (uint32_t i = 0; i < RT; i++)
                    cs[i] += At[i][k] * bk;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint32_t i = 0; i < RT; i++)
        if (ii+i < heightA && j < widthB)
            C[(ii+i)*widthB + j] = cs[i];
}
