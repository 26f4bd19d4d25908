typedef float4 real4;

__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local real4 staged[CHUNK];

    const uint32_t q = get_global_id(0);
    const uint32_t mine = min(q, queryCount - 1);

    uint32_t best = 0;
    real least = INFINITY;
    for (uint32_t first = 0; first < pointCount; first += CHUNK) {
        for (uint32_t p = get_local_id(0); p < CHUNK; p += WG)
            staged[p] = (first + p < pointCount) ? vload4(first + p, points) : (real4)(INFINITY);

        barrier(CLK_LOCAL_MEM_FENCE);

        #pragma unroll 8
        for (uint32_t p = 0; p < CHUNK; p++) {
            const real4 apart = staged[p] - vload4(mine, queries);
            const real square = dot(apart, apart);
            if (square < least) {
                least = square;
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
