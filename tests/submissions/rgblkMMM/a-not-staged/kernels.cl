// All work-items of a group read the same word of A at the same time, and the hardware
// broadcasts it. So registers alone are enough.
__kernel void rgblkMMM(__global const float *restrict A, __global const float *restrict B, __global float *restrict C,
                       uint heightA, uint widthB, uint widthA)
{
    const uint top = get_group_id(1) * RT;
    const uint col = get_global_id(0);
    const uint rows = min((uint)RT, heightA - top);
    float cs[RT] = {0};

    if (col >= widthB)
        return;                         // there are no barriers

    for (uint k = 0; k < widthA; k++) {
        const float b = B[k * widthB + col];
        for (uint r = 0; r < RT; r++)
            if (r < rows)
                cs[r] += A[(top + r) * widthA + k] * b;
    }

    for (uint r = 0; r < RT; r++)
        if (r < rows)
            C[(top + r) * widthB + col] = cs[r];
}
