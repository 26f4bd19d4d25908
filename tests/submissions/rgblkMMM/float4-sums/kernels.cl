/* The RT sums of a work-item are kept in float4 vectors. The tile of A is stored transposed,
   so that vload4 brings four rows of A for one value of B. Its rows are padded by a whole
   vector: two words that a warp stores then share a bank, not eight. */
#define Q (RT / 4)

__kernel void rgblkMMM(__global real *A, __global real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real At[RT][RT + 4];
    int lid = get_local_id(0);
    int tx = lid % RT, ty = lid / RT;
    uint32_t row = get_group_id(1) * RT;
    uint32_t col = get_global_id(0);
    float4 sum[Q];
    for (int q = 0; q < Q; q++)
        sum[q] = (float4)(0.0f);

    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        real a = 0;
        if (row + ty < heightA && k0 + tx < widthA)
            a = A[(row + ty) * widthA + k0 + tx];
        At[tx][ty] = a;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t k = 0; k < RT; k++) {
            real b = k0 + k < widthA && col < widthB ? B[(k0 + k) * widthB + col] : (real)0;
            for (int q = 0; q < Q; q++)
                sum[q] += vload4(q, At[k]) * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int q = 0; q < Q; q++) {
        float out[4];
        vstore4(sum[q], 0, out);
        for (int r = 0; r < 4; r++)
            if (row + 4*q + r < heightA && col < widthB)
                C[(row + 4*q + r) * widthB + col] = out[r];
    }
}
