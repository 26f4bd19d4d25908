// B needs no local memory, so half of the barriers of blockMMM can go.
__kernel void rgblkMMM(__global const float *A, __global const float *B, __global float *C,
                       uint heightA, uint widthB, uint widthA)
{
    __local float a[RT * RT];
    const uint me = get_local_id(0);
    const uint top = get_group_id(1) * RT;
    const uint col = get_group_id(0) * RT * RT + me;
    const uint arow = top + me / RT;
    float c[RT] = {0};

    for (uint k0 = 0; k0 < widthA; k0 += RT) {
        const uint acol = k0 + me % RT;
        float word = 0;
        if (arow < heightA && acol < widthA)
            word = A[arow * widthA + acol];
        a[me] = word;
        barrier(CLK_LOCAL_MEM_FENCE);

        const uint end = min((uint)RT, widthA - k0);
        for (uint k = 0; k < end; k++) {
            const float b = col < widthB ? B[(k0 + k) * widthB + col] : 0;
            for (uint r = 0; r < RT; r++)
                c[r] += a[r * RT + k] * b;
        }
    }

    for (uint r = 0; r < RT && top + r < heightA; r++)
        if (col < widthB)
            C[(top + r) * widthB + col] = c[r];
}
