// Baseline: one body per work-item; every work-item reads every body from global memory.
__kernel void naiveBodies(__global const real4 *positions, __global real4 *accelerations, real softening, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    real x = 0, y = 0, z = 0;
    for (uint32_t j = 0; j < n; j++) {
        const real4 apart = positions[j] - positions[i];
        const real square = apart.x * apart.x + apart.y * apart.y + apart.z * apart.z + softening;
        const real pull = positions[j].w / (square * sqrt(square));
        x += pull * apart.x;
        y += pull * apart.y;
        z += pull * apart.z;
    }
    accelerations[i] = (real4)(x, y, z, 0);
}
