// every work-item looks at all points
__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    uint32_t q = get_global_id(0);
    if (q < queryCount) {
        float4 x = vload4(q, queries);
        distance[q] = INFINITY;
        for (uint32_t p = 0; p < pointCount; p++) {
            float4 v = x - vload4(p, points);
            real d = dot(v, v);
            if (d < distance[q]) {
                distance[q] = d;
                nearest[q] = p;
            }
        }
    }
}
