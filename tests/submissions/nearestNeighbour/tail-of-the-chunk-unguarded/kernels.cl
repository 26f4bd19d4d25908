typedef float4 point_t;

__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local point_t stage[CHUNK];
    uint32_t q = get_global_id(0);
    uint32_t lid = get_local_id(0);
    point_t me = (point_t)(0.0f);
    if (q < queryCount)
        me = vload4(q, queries);

    uint32_t best = 0;
    real bestSquare = INFINITY;
    for (uint32_t c = 0; c < pointCount; c += CHUNK) {
        // one point for each of the first CHUNK work-items
        if (lid < CHUNK)
            stage[lid] = vload4(c + lid, points);
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint32_t i = 0; i < CHUNK; i++) {
            point_t v = stage[i] - me;
            real square = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
            if (c + i < pointCount && square < bestSquare) {
                bestSquare = square;
                best = c + i;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (q < queryCount) {
        nearest[q] = best;
        distance[q] = bestSquare;
    }
}
