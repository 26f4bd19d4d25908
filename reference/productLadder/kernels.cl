// Model solution: the product of square matrices, C = A * B, in five steps.
//
// The first two ask global memory for two words a product. The third keeps a row of A, the fourth shares a column
// of B as well; both still walk down the columns of a matrix. The fifth shares tiles of both, which are read along
// their rows.
typedef float4 real4;

// One element a work-item: n * n of them, each on a row of A and a column of B.
__kernel void mmElement(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t j = get_global_id(0);    // neighbours lie side by side in a row of B and of C
    const uint32_t i = get_global_id(1);
    if (i >= n || j >= n)
        return;

    real sum = 0;
    for (uint32_t k = 0; k < n; k++)
        sum += A[i * n + k] * B[k * n + j];
    C[i * n + j] = sum;
}

// One row a work-item: n of them, that walk through all of B together.
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

// The row of A, which each element of the row of C needs, is fetched once. Private memory is laid out so that
// neighbours' elements of the same index lie side by side: it is read coalesced, which A is not.
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

// The column of B, which each row of the group needs, is fetched once a group. Work-items past the last row have
// nothing to compute, but help to fetch and reach every barrier.
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

        barrier(CLK_LOCAL_MEM_FENCE);    // the column is complete before anyone reads it

        if (inside) {
            real sum = 0;
            for (uint32_t k = 0; k < n; k++)
                sum += rowOfA[k] * Bcol[k];
            C[i * n + j] = sum;
        }

        barrier(CLK_LOCAL_MEM_FENCE);    // everyone has read it before the next one overwrites it
    }
}

// Tiles of A and of B in local memory, one element of C a work-item again. Four words of the tile of A, the same
// for a whole row of work-items, are read as one real4; the words of the next tiles are on their way meanwhile.
__kernel void mmBlock(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    __local real4 Ash[TILE][TILE / 4];    // real4, so that it is aligned for reads of four words
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

        barrier(CLK_LOCAL_MEM_FENCE);    // both tiles are complete before anyone reads them

        const uint32_t kA = k0 + TILE + lx;    // what this work-item stages in the next step
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

        barrier(CLK_LOCAL_MEM_FENCE);    // everyone has read them before the next step overwrites them
    }

    if (i < n && j < n)
        C[i * n + j] = sum;
}
