// k comes first, so that the RT words that belong together are next to each other
__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real tile[RT * RT];
    const uint32_t lid = get_local_id(0);
    const uint32_t i0 = get_group_id(1) * RT;
    const uint32_t j = get_global_id(0);
    real c[RT];
    for (uint32_t r = 0; r < RT; ++r) c[r] = 0;

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        const uint32_t i = i0 + lid / RT, k = k0 + lid % RT;
        const bool in = i < heightA && k < widthA;
        tile[(lid % RT) * RT + lid / RT] = in ? A[i * widthA + k] : (real)0;
        barrier(CLK_LOCAL_MEM_FENCE);

        __local const real *a = tile;
        for (uint32_t p = 0; p < RT; ++p) {
            const real b = k0 + p < widthA && j < widthB ? B[(k0 + p) * widthB + j] : (real)0;
            for (uint32_t r = 0; r < RT; ++r)
                c[r] += *a++ * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint32_t r = 0; r < RT; ++r)
        if (i0 + r < heightA && j < widthB)
            C[(i0 + r) * widthB + j] = c[r];
}
