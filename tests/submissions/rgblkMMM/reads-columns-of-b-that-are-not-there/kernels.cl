// Columns past the edge are not stored, so their values do not matter.
__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[RT][RT + 1];
    const uint32_t lid = get_local_id(0);
    const uint32_t ty = lid / RT, tx = lid % RT;
    const uint32_t i = get_group_id(1) * RT, j = get_global_id(0);
    real cs[RT];

    #pragma unroll
    for (uint32_t r = 0; r < RT; r++)
        cs[r] = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        Ash[ty][tx] = (i + ty < heightA && k0 + tx < widthA) ? A[(i + ty) * widthA + k0 + tx] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < RT && k0 + k < widthA; k++) {
            const real b = B[(k0 + k) * widthB + j];
            #pragma unroll
            for (uint32_t r = 0; r < RT; r++)
                cs[r] += Ash[r][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint32_t r = 0; r < RT; r++)
        if (i + r < heightA && j < widthB)
            C[(i + r) * widthB + j] = cs[r];
}
