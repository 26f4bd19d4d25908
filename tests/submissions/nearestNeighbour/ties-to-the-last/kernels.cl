__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local float4 tile[CHUNK];
    uint32_t q = get_global_id(0), l = get_local_id(0);
    float4 x = q < queryCount ? vload4(q, queries) : (float4)0.0f;
    uint32_t n = 0;
    real d = INFINITY;

    for (uint32_t c = 0; c < pointCount; c += CHUNK) {
        if (l < CHUNK && c + l < pointCount)
            tile[l] = vload4(c + l, points);
        barrier(CLK_LOCAL_MEM_FENCE);
        uint32_t m = min((uint32_t)CHUNK, pointCount - c);
        for (uint32_t k = 0; k < m; k++) {
            float4 v = x - tile[k];
            real s = dot(v, v);
            n = s <= d ? c + k : n;
            d = fmin(d, s);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (q < queryCount) {
        nearest[q] = n;
        distance[q] = d;
    }
}
