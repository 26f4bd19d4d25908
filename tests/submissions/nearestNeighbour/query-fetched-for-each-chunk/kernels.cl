__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local real block[4 * CHUNK];
    const uint32_t lid = get_local_id(0);
    const uint32_t gid = get_global_id(0);
    const bool active = gid < queryCount;

    if (active)
        distance[gid] = INFINITY;

    for (uint32_t start = 0; start < pointCount; start += CHUNK) {
        const uint32_t length = 4 * min((uint32_t)CHUNK, pointCount - start);
        for (uint32_t i = lid; i < length; i += WG)
            block[i] = points[4 * start + i];
        barrier(CLK_LOCAL_MEM_FENCE);

        if (active) {
            const real x = queries[4 * gid + 0], y = queries[4 * gid + 1];
            const real z = queries[4 * gid + 2], w = queries[4 * gid + 3];
            real least = distance[gid];
            uint32_t winner = UINT_MAX;
            for (uint32_t i = 0; i < length; i += 4) {
                const real square = (block[i] - x) * (block[i] - x) + (block[i + 1] - y) * (block[i + 1] - y)
                                  + (block[i + 2] - z) * (block[i + 2] - z) + (block[i + 3] - w) * (block[i + 3] - w);
                if (square < least) {
                    least = square;
                    winner = start + i / 4;
                }
            }
            if (winner != UINT_MAX) {
                nearest[gid] = winner;
                distance[gid] = least;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
