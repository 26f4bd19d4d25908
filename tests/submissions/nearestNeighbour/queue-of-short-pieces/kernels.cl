typedef float4 real4;
__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    __local real4 staged[CHUNK];
    __local uint32_t least[WG], best[WG], next;
    const uint32_t lid = get_local_id(0), q = get_global_id(0);
    __local real4 mine[WG];
    mine[lid] = (q < queryCount) ? vload4(q, queries) : (real4)(0);
    least[lid] = as_uint(INFINITY);
    best[lid] = 0;
    for (uint32_t first = 0; first < pointCount; first += CHUNK) {
        if (lid == 0)
            next = 0;
        for (uint32_t p = lid; p < CHUNK; p += WG)
            staged[p] = (first + p < pointCount) ? vload4(first + p, points) : (real4)(INFINITY);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t i = atomic_inc(&next); i < WG; i = atomic_inc(&next)) {
            real l = as_float(least[i]);
            uint32_t b = best[i];
            const real4 query = mine[i];
            for (uint32_t p = 0; p < CHUNK; p++) {
                const real4 apart = staged[p] - query;
                const real square = dot(apart, apart);
                if (square < l) {
                    l = square;
                    b = first + p;
                }
            }
            least[i] = as_uint(l);
            best[i] = b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (q < queryCount) {
        nearest[q] = best[lid];
        distance[q] = as_float(least[lid]);
    }
}
