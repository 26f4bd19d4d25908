// Model solution: all pairs of bodies, staged in local memory in tiles.
//
// One body per work-item, in registers. The group stages WG bodies at a time, so it uses each body from global memory WG
// times. All work-items read one body of the tile at the same time, and local memory serves this as one access of one
// vector. A reciprocal root and three products take the place of a root and a division, which cost more than all other
// operations of a pair.
//
// Past the last body, the group stages bodies without mass, so the inner loop needs no test. The softening keeps the
// distance of a body to itself above 0, and its term is 0.
__kernel void nBody(__global const real4 *positions, __global real4 *accelerations, real softening, uint32_t n)
{
    __local real4 tile[WG];

    const uint32_t lid = get_local_id(0);
    const uint32_t i = get_global_id(0);
    const real4 own = i < n ? positions[i] : (real4)(0);

    real x = 0, y = 0, z = 0;
    for (uint32_t first = 0; first < n; first += WG) {
        tile[lid] = first + lid < n ? positions[first + lid] : (real4)(0);

        barrier(CLK_LOCAL_MEM_FENCE);    // the tile is complete before a work-item reads it

        #pragma unroll 8
        for (uint32_t j = 0; j < WG; j++) {
            const real4 body = tile[j];
            const real dx = body.x - own.x, dy = body.y - own.y, dz = body.z - own.z;
            const real inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
            const real pull = body.w * inverse * inverse * inverse;
            x += pull * dx;
            y += pull * dy;
            z += pull * dz;
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // all reads end before the next tile overwrites it
    }

    if (i < n)
        accelerations[i] = (real4)(x, y, z, 0);
}
