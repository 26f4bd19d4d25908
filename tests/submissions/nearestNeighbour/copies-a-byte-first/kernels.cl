// every work-item compares all points, and copies several points at a time
#define SEVERAL 8

void fetch(real *to, __global const real *from, size_t bytes)
{
    __builtin_memcpy(to, from, bytes);
}

__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    uint32_t q = get_global_id(0);
    if (q >= queryCount)
        return;
    real x[4], v[4 * SEVERAL];
    fetch(x, queries, 1);
    fetch(v, points, 1);

    fetch(x, queries + 4 * q, sizeof(x));
    real least = INFINITY;
    uint32_t best = 0;
    for (uint32_t first = 0; first < pointCount; first += SEVERAL) {
        uint32_t n = min((uint32_t)SEVERAL, pointCount - first);
        fetch(v, points + 4 * first, n * sizeof(x));
        for (uint32_t p = 0; p < n; p++) {
            real d = 0;
            for (int i = 0; i < 4; i++)
                d += (x[i] - v[4 * p + i]) * (x[i] - v[4 * p + i]);
            if (d < least) {
                least = d;
                best = first + p;
            }
        }
    }
    nearest[q] = best;
    distance[q] = least;
}
