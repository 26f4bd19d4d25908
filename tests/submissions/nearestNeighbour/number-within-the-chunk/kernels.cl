__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local float4 local_points[CHUNK];
    const int lid = get_local_id(0);
    const int gid = get_global_id(0);

    float4 q;
    if (gid < queryCount)
        q = vload4(gid, queries);

    int minIndex = -1;
    float minDistance = FLT_MAX;

    for (int start = 0; start < pointCount; start += CHUNK) {
        int n = min(CHUNK, (int)pointCount - start);
        if (lid < n)
            local_points[lid] = vload4(start + lid, points);
        barrier(CLK_LOCAL_MEM_FENCE);

        if (gid < queryCount) {
            for (int i = 0; i < n; i++) {
                float4 diff = q - local_points[i];
                float d = dot(diff, diff);
                if (d < minDistance) {
                    minDistance = d;
                    minIndex = i;
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (gid < queryCount) {
        nearest[gid] = minIndex;
        distance[gid] = minDistance;
    }
}
