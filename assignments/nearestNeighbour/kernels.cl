// nearestNeighbour: for every query the nearest of all points, by comparing it with each of them.
//
// queries is queryCount x 4 and points pointCount x 4, row-major: word d of query q is queries[4*q + d].
// nearest[q] is the number of the point with the least squared distance, the lowest number if there are several;
// distance[q] is that squared distance, the sum of the four squared differences.
// Walk over the points a CHUNK at a time. In each step the work-group stages CHUNK points in local memory, and every
// work-item compares its query with all of them.
//
// Launch:   work-group (WG), global (ceil(queryCount/WG)*WG): one work-item a query.
// Defined:  real (float), WG (64), CHUNK (32, at most WG), uint32_t (uint).
//
// Work-items past the last query must help to stage points and reach every barrier.
typedef float4 real4;    // vload4(p, points) is point p

__kernel void nearestNeighbour(__global const real *queries, __global const real *points,
                               __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    // __local real4 staged[CHUNK];

    // TODO: for each chunk: stage its points; the last chunk may have fewer
    // TODO: then compare the query with each of them. The step needs two barriers: where, and why?
    // TODO: store the number and the squared distance, if there is such a query
}
