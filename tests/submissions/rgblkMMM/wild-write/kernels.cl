// offsets in a signed 64-bit variable, "negative" ones wrap around
__kernel void rgblkMMM(__global real *A, __global real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[RT][RT + 1];
    const uint32_t lid = get_local_id(0);
    const uint32_t top = get_group_id(1) * RT;
    const uint32_t col = get_global_id(0);
    real cs[RT];
    for (uint32_t r = 0; r < RT; r++) cs[r] = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        const uint32_t i = top + lid / RT, k = k0 + lid % RT;
        Ash[lid / RT][lid % RT] = i < heightA && k < widthA ? A[i * widthA + k] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t p = 0; p < RT; p++) {
            const real b = k0 + p < widthA && col < widthB ? B[(k0 + p) * widthB + col] : (real)0;
            for (uint32_t r = 0; r < RT; r++) cs[r] += Ash[r][p] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint32_t r = 0; r < RT; r++) {
        const long offset = ((long)(top + r) << 40) + ((1L << 40) | (long)col * widthB);
        if (top + r < heightA && col < widthB)
            C[offset] = cs[r];
    }
}
