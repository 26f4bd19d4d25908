// Ash is read in column order by the products, so it is padded.
__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[RT][RT + 1];
    const uint32_t t = get_local_id(0);
    const uint32_t top = get_group_id(1) * RT;
    const uint32_t col = get_global_id(0);
    real acc[RT];
    for (uint32_t r = 0; r < RT; ++r)
        acc[r] = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        uint32_t ar = top + t / RT, ak = k0 + t % RT;
        Ash[t / RT][t % RT] = ar < heightA && ak < widthA ? A[ar * widthA + ak] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = k0 ? 0 : 1; k < RT; ++k) {
            real b = k0 + k < widthA && col < widthB ? B[(k0 + k) * widthB + col] : (real)0;
            for (uint32_t r = 0; r < RT; ++r)
                acc[r] += Ash[r][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint32_t r = 0; r < RT; ++r)
        if (top + r < heightA && col < widthB)
            C[(top + r) * widthB + col] = acc[r];
}
