// Baseline: one query per work-item; every work-item reads every point from global memory.
__kernel void naiveNeighbour(__global const real *queries, __global const real *points,
                             __global uint32_t *nearest, __global real *distance,
                             uint32_t queryCount, uint32_t pointCount)
{
    const uint32_t q = get_global_id(0);
    if (q >= queryCount)
        return;

    uint32_t best = 0;
    real least = INFINITY;
    for (uint32_t p = 0; p < pointCount; p++) {
        real square = 0;
        for (uint32_t d = 0; d < 4; d++) {
            const real difference = points[4 * p + d] - queries[4 * q + d];
            square += difference * difference;
        }
        if (square < least) {
            least = square;
            best = p;
        }
    }
    nearest[q] = best;
    distance[q] = least;
}
