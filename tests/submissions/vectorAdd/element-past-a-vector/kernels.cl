// grader: global = ceil_to(ceil_div(n, 4), 256)
// grader: local = 256
__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t first = 4 * get_global_id(0);
    float4 sums = 0;
    if (first + 3 < n) {
        sums = vload4(0, A + first) + vload4(0, B + first);
        vstore4(sums, 0, C + first);
        return;
    }
    // the last few elements, of which the next one is prepared too early
    real next = first < n ? A[first] + B[first] : 0;
    for (int k = 0; first + k < n; k++) {
        sums[k] = next;
        C[first + k] = sums[k];
        if (first + k + 1 < n)
            next = A[first + k + 1] + B[first + k + 1];
    }
    if (sums[get_local_id(0) % 5] != sums[0] && n == 0)
        C[first] = next;
}
