// Model solution: brute force, points staged in local memory.
//
// One query per work-item, in registers. The group stages CHUNK points at a time, and compares each point from global
// memory with WG queries. All work-items read one point at the same time, and local memory serves this as one access.
// A point is one vector of four words, so it takes one request and not four. Past the last point, the group stages
// points that are infinitely far away, so the inner loop needs no test.
//
// Points are compared in the order of their numbers, and only a smaller distance replaces the least so far. So the
// first of several nearest points stays.
typedef float4 real4;

__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local real4 staged[CHUNK];

    const uint32_t q = get_global_id(0);
    const real4 query = (q < queryCount) ? vload4(q, queries) : (real4)(0);

    uint32_t best = 0;
    real least = INFINITY;
    for (uint32_t first = 0; first < pointCount; first += CHUNK) {
        for (uint32_t p = get_local_id(0); p < CHUNK; p += WG)
            staged[p] = (first + p < pointCount) ? vload4(first + p, points) : (real4)(INFINITY);

        barrier(CLK_LOCAL_MEM_FENCE);    // the chunk is complete before a work-item reads it

        #pragma unroll 8
        for (uint32_t p = 0; p < CHUNK; p++) {
            const real4 apart = staged[p] - query;
            const real square = dot(apart, apart);
            if (square < least) {
                least = square;
                best = first + p;
            }
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // all reads end before the next chunk overwrites it
    }

    if (q < queryCount) {
        nearest[q] = best;
        distance[q] = least;
    }
}
