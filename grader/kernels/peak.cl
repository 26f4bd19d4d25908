// Multiplies and adds as fast as the device can (device.py).

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void peak(__global float *out, uint turns)
{
    // All chains differ and are used, or a compiler would remove some. A step of a chain waits for the step before, so
    // there must be many chains: two multiply-adds per cycle that take four cycles each need eight. The 16 registers of
    // AVX2 hold seven chains and the factor, with two registers for each. AVX-512 reaches seven eighths of its peak.
    const float a = 0.5f + 1e-6f * get_global_id(0);
    const float16 lane = (float16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + a;
    float16 t = lane, u = 2 * lane, v = 3 * lane, w = 4 * lane, x = 5 * lane, y = 6 * lane, z = 7 * lane;
    #pragma unroll 4  // otherwise the loop counter would take part of the time
    for (uint turn = 0; turn < turns; turn++) {
        t = t * a + a;
        u = u * a + a;
        v = v * a + a;
        w = w * a + a;
        x = x * a + a;
        y = y * a + a;
        z = z * a + a;
    }
    const float16 sum = t + u * v + w * x + y * z;
    const float8 half_of_it = sum.lo + 2 * sum.hi;
    const float4 quarter = half_of_it.lo + 3 * half_of_it.hi;
    out[get_global_id(0)] = quarter.s0 + quarter.s1 * quarter.s2 + quarter.s3;
}
