// nBody: the acceleration of each body by the gravity of all bodies.
//
// positions[i] is body i: its place (x, y, z), and its mass (w). For body i, add up over all bodies j
//
//     mass[j] * (place[j] - place[i]) / (distance^2 + softening)^(3/2)
//
// and store the sum in (x, y, z) of accelerations[i]. Its w may be any number.
// Walk over the bodies in tiles. In each step the work-group stages WG bodies in local memory, and every work-item adds
// their terms to its sum.
//
// Launch:   work-group (WG), global (ceil(n/WG)*WG): one work-item a body.
// Defined:  real (float), real4 (float4), WG (64), uint32_t (uint).
//
// Work-items past the last body must help to stage tiles and reach every barrier.
__kernel void nBody(__global const real4 *positions, __global real4 *accelerations, real softening, uint32_t n)
{
    // __local real4 tile[WG];

    // TODO: for each tile: stage its bodies; the last tile may have fewer
    // TODO: then add the term of each of them. The step needs two barriers: where, and why?
    // TODO: store the sum, if there is such a body
}
