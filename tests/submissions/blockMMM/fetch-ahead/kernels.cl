// While the group multiplies one pair of tiles, each work-item loads its words of the next
// pair.
kernel void blockMMM(global const float *A, global const float *B, global float *C,
                     const uint heightA, const uint widthB, const uint widthA)
{
    local float As[TILE][TILE + 4];
    local float Bs[TILE][TILE + 4];
    const uint tx = get_local_id(0), ty = get_local_id(1);
    const uint col = get_global_id(0), row = get_global_id(1);
    float nextA, nextB;        // set in either branch below
    float acc = 0.0f;

    if (row < heightA && tx < widthA)
        nextA = A[row * widthA + tx];
    else
        nextA = 0.0f;
    if (col < widthB && ty < widthA)
        nextB = B[ty * widthB + col];
    else
        nextB = 0.0f;

    for (uint k0 = 0; k0 < widthA; k0 += TILE) {
        As[ty][tx] = nextA;
        Bs[ty][tx] = nextB;
        barrier(CLK_LOCAL_MEM_FENCE);

        const uint ka = k0 + TILE + tx, kb = k0 + TILE + ty;
        if (row < heightA && ka < widthA) nextA = A[row * widthA + ka]; else nextA = 0.0f;
        if (col < widthB && kb < widthA) nextB = B[kb * widthB + col]; else nextB = 0.0f;

        #pragma unroll 4
        for (uint k = 0; k < TILE; ++k)
            acc = mad(As[ty][k], Bs[k][tx], acc);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < heightA && col < widthB)
        C[row * widthB + col] = acc;
}
