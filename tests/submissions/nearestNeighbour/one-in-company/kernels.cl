// One work-item compares all queries of its group. The others of its warp read one word again and again.
__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local real least[WG + 32];    // and words that nobody needs
    __local uint32_t best[WG + 32];
    const uint32_t lid = get_local_id(0), first = get_group_id(0) * WG;
    if (lid < 32) {
        const uint32_t works = lid == 0;
        float4 query[WG];
        real l[WG];
        uint32_t w[WG];
        for (uint32_t i = 0; i < WG; i++)
            query[i] = vload4(works ? min(first + i, queryCount - 1) : 0, queries);
        if (works)
            for (uint32_t i = 0; i < WG; i++)
                l[i] = INFINITY, w[i] = 0;
        for (uint32_t p = 0; p < pointCount; p++) {
            const float4 point = vload4(works ? p : 0, points);
            if (works)
                for (uint32_t i = 0; i < WG; i++) {
                    const float4 d = point - query[i];
                    const real s = d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w;
                    const bool nearer = s < l[i];
                    l[i] = nearer ? s : l[i];
                    w[i] = nearer ? p : w[i];
                }
        }
        for (uint32_t i = 0; i < WG; i++) {
            least[works ? i : WG + lid] = works ? l[i] : 0;
            best[works ? i : WG + lid] = works ? w[i] : 0;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) < queryCount) {
        nearest[get_global_id(0)] = best[lid];
        distance[get_global_id(0)] = least[lid];
    }
}
