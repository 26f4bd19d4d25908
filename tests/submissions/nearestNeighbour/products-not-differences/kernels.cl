// |q - p|^2 = |q|^2 - 2 q.p + |p|^2. |p|^2 is staged next to the point. |q|^2 is the same for all points and is
// added at the end, so each pair needs four multiply-adds.
__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local float4 p[CHUNK];
    __local real norm[CHUNK];
    const uint32_t q = get_global_id(0), lid = get_local_id(0);

    float4 x = (float4)(0);
    if (q < queryCount)
        x = ((__global const float4 *)queries)[q];
    const float4 turned = -2 * x;

    uint32_t found = 0;
    real low = MAXFLOAT;
    for (uint32_t base = 0; base < pointCount; base += CHUNK) {
        if (lid < CHUNK) {
            const bool there = base + lid < pointCount;
            p[lid] = there ? ((__global const float4 *)points)[base + lid] : (float4)(0);
            norm[lid] = there ? dot(p[lid], p[lid]) : MAXFLOAT;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < CHUNK; k++) {
            const real score = dot(turned, p[k]) + norm[k];
            if (score < low) {
                low = score;
                found = base + k;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (q < queryCount) {
        nearest[q] = found;
        distance[q] = low + dot(x, x);
    }
}
