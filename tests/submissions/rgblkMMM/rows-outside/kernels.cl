// Rows outside, k inside: the RT values of B are fetched into registers before the
// products, each row of results is then a dot product with a row of the tile.
__kernel void rgblkMMM(__global const float *A, __global const float *B, __global float *C,
                       uint heightA, uint widthB, uint widthA)
{
    __local float block[RT * RT];
    const uint me = get_local_id(0);
    const uint firstRow = get_group_id(1) * RT;
    const uint col = get_global_id(0);
    const uint loadRow = firstRow + me / RT;
    const bool colOk = col < widthB;
    const bool loadRowOk = loadRow < heightA;
    __global const float *src = A + (loadRowOk ? loadRow * widthA : 0);

    float cs[RT] = {0.0f};
    float bs[RT];

    for (uint k0 = 0; k0 < widthA; k0 += RT) {
        const uint kLoad = k0 + me % RT;
        block[me] = loadRowOk && kLoad < widthA ? src[kLoad] : 0.0f;
        for (uint k = 0; k < RT; k++)
            bs[k] = colOk && k0 + k < widthA ? B[(k0 + k) * widthB + col] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

        #pragma unroll
        for (uint r = 0; r < RT; r++) {
            #pragma unroll
            for (uint k = 0; k < RT; k++)
                cs[r] = mad(block[r * RT + k], bs[k], cs[r]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    #pragma unroll
    for (uint r = 0; r < RT; r++)
        if (colOk && firstRow + r < heightA)
            C[(firstRow + r) * widthB + col] = cs[r];
}
