// The tile has RT rows of RT words, so RT work-items fetch it.
__kernel void rgblkMMM(__global float *A, __global float *B, __global float *C,
                       uint heightA, uint widthB, uint widthA)
{
    __local float At[RT][RT];
    const int me = get_local_id(0);
    const uint row = get_group_id(1) * RT, col = get_global_id(0);
    float cs[RT];
    for (int i = 0; i < RT; i++)
        cs[i] = 0.0f;

    for (uint k0 = 0; k0 < widthA; k0 += RT) {
        if (me < RT)
            At[me / RT][me % RT] = row + me / RT < heightA && k0 + me < widthA
                                 ? A[(row + me / RT) * widthA + k0 + me] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < RT; k++) {
            const float b = k0 + k < widthA && col < widthB ? B[(k0 + k) * widthB + col] : 0.0f;
            for (int i = 0; i < RT; i++)
                cs[i] += At[i][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int i = 0; i < RT; i++)
        if (row + i < heightA && col < widthB)
            C[(row + i) * widthB + col] = cs[i];
}
