// The tile is four arrays of floats.
__kernel void nBody(__global const float4 *positions, __global float4 *accelerations, float softening, uint32_t n)
{
    __local float xs[WG], ys[WG], zs[WG], masses[WG];
    const uint32_t lid = get_local_id(0), i = get_global_id(0);
    const float4 own = i < n ? positions[i] : (float4)(0, 0, 0, 0);
    float ax = 0, ay = 0, az = 0;

    for (uint32_t first = 0; first < n; first += WG) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const bool exists = first + lid < n;
        const float4 body = positions[exists ? first + lid : 0];
        xs[lid] = body.x;
        ys[lid] = body.y;
        zs[lid] = body.z;
        masses[lid] = exists ? body.w : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < WG; j++) {
            const float x = xs[j] - own.x, y = ys[j] - own.y, z = zs[j] - own.z;
            const float r = rsqrt(x * x + y * y + z * z + softening);
            const float f = masses[j] * (r * r * r);
            ax = fma(f, x, ax);
            ay = fma(f, y, ay);
            az = fma(f, z, az);
        }
    }
    if (i < n)
        accelerations[i] = (float4)(ax, ay, az, 1);
}
