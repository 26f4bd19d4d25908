// One work-item compares all queries of its group. The others read the same words of local memory for nothing.
__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local float4 staged[CHUNK], query[WG];
    __local real least[WG];
    __local uint32_t best[WG];
    const uint32_t lid = get_local_id(0), q = get_global_id(0);
    query[lid] = q < queryCount ? vload4(q, queries) : (float4)(0);
    real l[WG];
    uint32_t w[WG];
    if (lid == 0)
        for (uint32_t i = 0; i < WG; i++)
            l[i] = INFINITY, w[i] = 0;
    for (uint32_t first = 0; first < pointCount; first += CHUNK) {
        if (lid < CHUNK)
            staged[lid] = first + lid < pointCount ? vload4(first + lid, points) : (float4)(INFINITY);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < 16)    // the first one works
            for (uint32_t p = 0; p < CHUNK; p++) {
                const float4 point = staged[p];
                for (uint32_t i = 0; i < WG; i++) {
                    const float4 d = point - query[i];
                    if (lid == 0) {
                        const real s = d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w;
                        const bool nearer = s < l[i];
                        l[i] = nearer ? s : l[i];
                        w[i] = nearer ? first + p : w[i];
                    }
                }
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        for (uint32_t i = 0; i < WG; i++) {
            least[i] = l[i];
            best[i] = w[i];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (q < queryCount) {
        nearest[q] = best[lid];
        distance[q] = least[lid];
    }
}
