// Eight work-items stage the chunk, four points each, as a vector of sixteen words.
__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local float4 staged[CHUNK];
    const uint32_t q = get_global_id(0), me = get_local_id(0);
    const float4 query = q < queryCount ? vload4(q, queries) : (float4)(0);
    real least = INFINITY;
    uint32_t best = 0;
    for (uint32_t first = 0; first < pointCount; first += CHUNK) {
        if (me < CHUNK / 4) {
            const uint32_t p = first + 4 * me;
            if (p + 4 <= pointCount)
                vstore16(vload16(0, points + 4 * p), 0, (__local real *)(staged + 4 * me));
            else
                for (uint32_t i = 0; i < 4; i++)
                    staged[4 * me + i] = p + i < pointCount ? vload4(p + i, points) : (float4)(INFINITY);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t p = 0; p < CHUNK; p++) {
            const float4 d = staged[p] - query;
            const real s = dot(d, d);
            if (s < least) {
                least = s;
                best = first + p;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (q < queryCount) {
        nearest[q] = best;
        distance[q] = least;
    }
}
