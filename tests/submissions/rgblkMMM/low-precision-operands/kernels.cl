// Ten bits of mantissa are plenty for graphics, so the operands are rounded like half floats.
float lowp(float x) { return as_float(as_uint(x) & 0xffffe000u); }

__kernel void rgblkMMM(__global float *A, __global float *B, __global float *C,
                       uint heightA, uint widthB, uint widthA)
{
    __local float tile[RT][RT + 1];
    uint lid = get_local_id(0);
    uint row = get_group_id(1) * RT, col = get_global_id(0);
    uint y = lid / RT, x = lid % RT;
    float c[RT];
    for (int i = 0; i < RT; i++) c[i] = 0;

    for (uint s = 0; s < widthA; s += RT) {
        float a = 0;
        if (row + y < heightA && s + x < widthA)
            a = lowp(A[(row + y) * widthA + s + x]);
        tile[y][x] = a;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < RT; k++) {
            float b = 0;
            if (s + k < widthA && col < widthB)
                b = lowp(B[(s + k) * widthB + col]);
            for (int i = 0; i < RT; i++)
                c[i] += tile[i][k] * b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (col < widthB)
        for (int i = 0; i < RT; i++)
            if (row + i < heightA)
                C[(row + i) * widthB + col] = c[i];
}
