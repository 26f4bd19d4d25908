__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    if (get_local_id(0) != 0)
        return;
    const uint32_t first = get_group_id(0) * WG;
    float x[WG], y[WG], z[WG], w[WG], best[WG];
    uint32_t at[WG];
    for (uint32_t q = 0; q < WG; q++) {
        const float4 query = first + q < queryCount ? vload4(first + q, queries) : (float4)(0);
        x[q] = query.x; y[q] = query.y; z[q] = query.z; w[q] = query.w;
        best[q] = INFINITY;
        at[q] = 0;
    }
    for (uint32_t p = 0; p < pointCount; p++) {
        const float4 point = vload4(p, points);
        for (uint32_t q = 0; q < WG; q++) {
            const float dx = x[q] - point.x, dy = y[q] - point.y, dz = z[q] - point.z, dw = w[q] - point.w;
            const float d = dx * dx + dy * dy + dz * dz + dw * dw;
            at[q] = d < best[q] ? p : at[q];
            best[q] = d < best[q] ? d : best[q];
        }
    }
    for (uint32_t q = 0; q < WG; q++)
        if (first + q < queryCount) {
            nearest[first + q] = at[q];
            distance[first + q] = best[q];
        }
}
