#define LANES 16
#define SPREAD (PRG_WGSIZE / LANES)

// Neighbours must not sit on the same cache line, or they would fight for it.
uint spread(uint lid) { return (lid % LANES) * SPREAD + lid / LANES; }

__kernel void coalsProgrm(__global const float *restrict Atr, __global float *restrict Btr,
                          uint height, uint width)
{
    const uint mine = get_group_id(0) * PRG_WGSIZE + spread(get_local_id(0));
    float accum = 0.0f;

    if (mine < height)
        for (uint at = mine, n = 0; n < width; at += height, ++n) {
            const float a = Atr[at];
            accum = a * a - accum;
            Btr[at] = accum;
        }
}
