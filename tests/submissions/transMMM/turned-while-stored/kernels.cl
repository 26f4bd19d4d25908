#define PITCH (TILE + 1)

/* One word of a matrix whose rows run along k; zero past either edge. */
float word(__global const float *m, uint row, uint rows, uint k, uint width)
{
    return row < rows && k < width ? m[row * width + k] : 0.f;
}

__kernel void transMMM(__global const float *restrict A, __global const float *restrict B, __global float *restrict C,
                       const uint heightA, const uint heightB, const uint widthA)
{
    __local float tileA[TILE * TILE];
    __local float tileBT[TILE * PITCH];                 // [k][column of C]

    const uint x = get_local_id(0), y = get_local_id(1);
    const uint i0 = get_group_id(1) * TILE, j0 = get_group_id(0) * TILE;
    const uint steps = (widthA + TILE - 1) / TILE;

    float result = 0.f;
    for (uint s = 0; s < steps; ++s) {
        tileA[y * TILE + x] = word(A, i0 + y, heightA, s * TILE + x, widthA);
        tileBT[x * PITCH + y] = word(B, j0 + y, heightB, s * TILE + x, widthA);
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll 4
        for (uint k = 0; k < TILE; ++k)
            result = mad(tileA[y * TILE + k], tileBT[k * PITCH + x], result);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (i0 + y < heightA && j0 + x < heightB)
        C[(i0 + y) * heightB + j0 + x] = result;
}
