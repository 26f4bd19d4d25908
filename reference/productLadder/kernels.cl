// Model solution: the product of square matrices, C = A * B, in five steps.
//
// The first two read two words of global memory per product. The third keeps a row of A, and the fourth also shares a
// column of B. Both still read down the columns of a matrix. The fifth shares tiles of both matrices, and reads them
// along their rows.
typedef float4 real4;

// One element per work-item: n * n work-items, each with a row of A and a column of B.
__kernel void mmElement(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t j = get_global_id(0);    // neighbours are next to each other in a row of B and of C
    const uint32_t i = get_global_id(1);
    if (i >= n || j >= n)
        return;

    real sum = 0;
    for (uint32_t k = 0; k < n; k++)
        sum += A[i * n + k] * B[k * n + j];
    C[i * n + j] = sum;
}

// One row per work-item: n work-items, which go through all of B together.
__kernel void mmRow(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    for (uint32_t j = 0; j < n; j++) {
        real sum = 0;
        for (uint32_t k = 0; k < n; k++)
            sum += A[i * n + k] * B[k * n + j];
        C[i * n + j] = sum;
    }
}

// The row of A, which each element of the row of C needs, is loaded once. In private memory, neighbours' elements of
// one index are next to each other, so its reads are coalesced. The reads of A are not.
__kernel void mmRowPrivate(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    real rowOfA[MAX_N];
    for (uint32_t k = 0; k < n; k++)
        rowOfA[k] = A[i * n + k];

    for (uint32_t j = 0; j < n; j++) {
        real sum = 0;
        for (uint32_t k = 0; k < n; k++)
            sum += rowOfA[k] * B[k * n + j];
        C[i * n + j] = sum;
    }
}

// The column of B, which each row of the group needs, is loaded once per group. Work-items past the last row compute
// no result, but help to load the column and reach every barrier.
__kernel void mmColumnLocal(__global const real *A, __global const real *B, __global real *C, uint32_t n,
                            __local real *Bcol)
{
    const uint32_t i = get_global_id(0);
    const bool inside = i < n;

    real rowOfA[MAX_N];
    for (uint32_t k = 0; inside && k < n; k++)
        rowOfA[k] = A[i * n + k];

    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t k = get_local_id(0); k < n; k += get_local_size(0))
            Bcol[k] = B[k * n + j];

        barrier(CLK_LOCAL_MEM_FENCE);    // the column is complete before a work-item reads it

        if (inside) {
            real sum = 0;
            for (uint32_t k = 0; k < n; k++)
                sum += rowOfA[k] * Bcol[k];
            C[i * n + j] = sum;
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // all reads end before the next one overwrites it
    }
}

// Tiles of A and of B in local memory, and again one element of C per work-item. Four words of the tile of A, which a
// whole row of work-items shares, are read as one real4. Meanwhile the words of the next tiles are under way.
__kernel void mmBlock(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    __local real4 Ash[TILE][TILE / 4];    // real4 is aligned for reads of four words
    __local real Bsh[TILE][TILE];

    const uint32_t lx = get_local_id(0);
    const uint32_t ly = get_local_id(1);
    const uint32_t j = get_global_id(0);
    const uint32_t i = get_global_id(1);
    __local real *const rowOfA = (__local real *)Ash[ly];

    real nextA = (i < n && lx < n) ? A[i * n + lx] : (real)0;
    real nextB = (ly < n && j < n) ? B[ly * n + j] : (real)0;

    real sum = 0;
    for (uint32_t k0 = 0; k0 < n; k0 += TILE) {
        rowOfA[lx] = nextA;
        Bsh[ly][lx] = nextB;

        barrier(CLK_LOCAL_MEM_FENCE);    // both tiles are complete before a work-item reads them

        const uint32_t kA = k0 + TILE + lx;    // this work-item's word of the next step
        const uint32_t kB = k0 + TILE + ly;
        nextA = (i < n && kA < n) ? A[i * n + kA] : (real)0;
        nextB = (kB < n && j < n) ? B[kB * n + j] : (real)0;

        #pragma unroll
        for (uint32_t k = 0; k < TILE / 4; k++) {
            const real4 a = Ash[ly][k];
            sum += a.x * Bsh[4 * k][lx];
            sum += a.y * Bsh[4 * k + 1][lx];
            sum += a.z * Bsh[4 * k + 2][lx];
            sum += a.w * Bsh[4 * k + 3][lx];
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // all reads end before the next step overwrites them
    }

    if (i < n && j < n)
        C[i * n + j] = sum;
}
