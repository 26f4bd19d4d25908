__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local float4 pts[CHUNK];
    uint32_t q = get_global_id(0);
    if (q >= queryCount)
        return;

    float4 query = vload4(q, queries);
    real least = INFINITY;
    uint32_t best = 0;
    for (uint32_t c = 0; c < pointCount; c += CHUNK) {
        for (uint32_t p = get_local_id(0); p < CHUNK && c + p < pointCount; p += get_local_size(0))
            pts[p] = vload4(c + p, points);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t p = 0; p < CHUNK && c + p < pointCount; p++) {
            float4 d = query - pts[p];
            d *= d;
            real sum = d.s0 + d.s1 + d.s2 + d.s3;
            if (sum < least) {
                least = sum;
                best = c + p;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    nearest[q] = best;
    distance[q] = least;
}
