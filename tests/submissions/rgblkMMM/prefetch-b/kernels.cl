// B[k+1] is fetched while the products with B[k] are made.
__kernel void rgblkMMM(__global const float *A, __global const float *B, __global float *C,
                       uint heightA, uint widthB, uint widthA)
{
    __local float block[RT * RT];
    const uint me = get_local_id(0);
    const uint firstRow = get_group_id(1) * RT;
    const uint col = get_global_id(0);
    const uint loadRow = firstRow + me / RT;
    const int loadRowOk = loadRow < heightA;
    const uint base = loadRowOk ? loadRow * widthA : 0;

    float cs[RT] = {0.0f};
    float next = col < widthB ? B[col] : 0.0f;

    for (uint k0 = 0; k0 < widthA; k0 += RT) {
        const uint kLoad = k0 + me % RT;
        block[me] = loadRowOk && kLoad < widthA ? A[base + kLoad] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint k = 0; k < RT; k++) {
            const float b = next;
            const uint kNext = k0 + k + 1;
            next = col < widthB && kNext < widthA ? B[kNext * widthB + col] : 0.0f;
            for (uint r = 0; r < RT; r++)
                cs[r] += block[r * RT + k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint r = 0; r < RT; r++)
        if (col < widthB && firstRow + r < heightA)
            C[(firstRow + r) * widthB + col] = cs[r];
}
