// A quarter of the work-items of each row stage A, four words at a time as a vector.
__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint heightA, uint widthB, uint widthA)
{
    __local real a[TILE][TILE], b[TILE][TILE];
    const uint x = get_local_id(0), y = get_local_id(1), i = get_global_id(1), j = get_global_id(0);
    real sum = 0;
    for (uint k0 = 0; k0 < widthA; k0 += TILE) {
        if (x < TILE / 4) {
            const uint k = k0 + 4 * x;
            if (i < heightA && k + 4 <= widthA)
                vstore4(vload4(0, A + i * widthA + k), 0, &a[y][4 * x]);
            else
                for (uint e = 0; e < 4; e++)
                    a[y][4 * x + e] = i < heightA && k + e < widthA ? A[i * widthA + k + e] : 0;
        }
        b[y][x] = k0 + y < widthA && j < widthB ? B[(k0 + y) * widthB + j] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++)
            sum += a[y][k] * b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < heightA && j < widthB)
        C[i * widthB + j] = sum;
}
