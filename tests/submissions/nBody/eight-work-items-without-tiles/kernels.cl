// Right results without local memory. Eight work-items of the first group compute all bodies, many bodies each in private
// memory, so they read each body only a few times.
#define WORKERS 8
#define OWN 32

__kernel void nBody(__global const real4 *positions, __global real4 *accelerations, real softening, uint32_t n)
{
    const uint32_t worker = get_global_id(0);
    if (worker >= WORKERS)
        return;
    for (uint32_t start = worker * OWN; start < n; start += WORKERS * OWN) {
        real4 own[OWN], sums[OWN];
        for (uint32_t k = 0; k < OWN; k++) {
            own[k] = start + k < n ? positions[start + k] : (real4)(0);
            sums[k] = 0;
        }
        for (uint32_t j = 0; j < n; j++) {
            const real4 body = positions[j];
            for (uint32_t k = 0; k < OWN; k++) {
                real4 way = body - own[k];
                way.w = 0;
                const real inverse = rsqrt(dot(way, way) + softening);
                sums[k] += body.w * inverse * inverse * inverse * way;
            }
        }
        for (uint32_t k = 0; k < OWN; k++)
            if (start + k < n)
                accelerations[start + k] = sums[k];
    }
}
