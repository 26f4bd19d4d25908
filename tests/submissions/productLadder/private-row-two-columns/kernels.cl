// Each work-item keeps its row of A. Two columns at a time use each word twice.
__kernel void mmRowPrivate(__global const real *restrict A, __global const real *restrict B,
                           __global real *restrict C, uint32_t n)
{
    const size_t row = get_global_id(0);
    if (row >= n)
        return;

    __global const real *a = A + row * n;
    __global real *c = C + row * n;
    __private real copy[MAX_N];
    for (uint k = 0; k < n; ++k)
        copy[k] = a[k];

    uint j = 0;
    for (; j + 1 < n; j += 2) {
        real left = 0, right = 0;
        for (uint k = 0; k < n; ++k) {
            left = copy[k] * B[k * n + j] + left;
            right = copy[k] * B[k * n + j + 1] + right;
        }
        c[j] = left;
        c[j + 1] = right;
    }
    if (j < n) {
        real last = 0;
        for (uint k = 0; k < n; ++k)
            last += copy[k] * B[k * n + j];
        c[j] = last;
    }
}
